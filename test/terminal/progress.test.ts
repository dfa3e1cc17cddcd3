/** The sign of life: what stands on the terminal's last line while something takes long. */

import { expect, test } from "vitest";
import { createProgress } from "../../src/terminal/progress.ts";
import { linesLeft } from "../support/emulated.ts";
import { createHandClock } from "../support/hand-clock.ts";
import { Capture } from "../support/streams.ts";

function start(redact = (text: string) => text) {
  const clock = createHandClock("2026-03-01T08:00:00Z");
  const stream = new Capture(80);
  return {
    clock,
    progress: createProgress(stream as never, clock, redact),
    shown: () => linesLeft(stream.text).at(-1),
  };
}

test("a call that takes longer than a second is shown, and taken away when it ends", () => {
  const { clock, progress, shown } = start();
  const end = progress.begin("Waiting for service.test…");
  expect(shown() ?? "").toBe("");
  clock.advance(1_000);
  expect(shown()).toBe("Waiting for service.test…");
  end();
  expect(shown() ?? "").toBe("");
});

test("a call that goes on is not shown over a question, and comes back after it", () => {
  const { clock, progress, shown } = start();
  const end = progress.begin("Waiting for service.test…");
  const onAnswered = progress.pause();
  clock.advance(5_000);
  expect(shown() ?? "").toBe("");
  onAnswered();
  clock.advance(1_000);
  expect(shown()).toBe("Waiting for service.test…");
  end();
  expect(shown() ?? "").toBe("");
});

test("a meter stays when a call ends", () => {
  const { clock, progress, shown } = start();
  const meter = progress.meter();
  const end = progress.begin("Waiting for service.test…");
  clock.advance(1_000);
  meter.update(() => "3 of 12");
  end();
  expect(shown()).toBe("3 of 12");
  meter.end();
  expect(shown() ?? "").toBe("");
});

test("neither a call nor a meter shows the key", () => {
  const { clock, progress, shown } = start((text) => text.replaceAll("the-key", "[redacted]"));
  progress.begin("failing: the-key; next try in 3 s…");
  clock.advance(1_000);
  expect(shown()).toBe("failing: [redacted]; next try in 3 s…");
  progress.meter().update(() => "3 of 12; failing: the-key");
  expect(shown()).toBe("3 of 12; failing: [redacted]");
});
