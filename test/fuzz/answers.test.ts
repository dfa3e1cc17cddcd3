import { test } from "vitest";
import { effort } from "../support/effort.ts";
import { surviveAnswers, surviveWire } from "./survive.ts";

test("no answer makes a command crash, ask without end, or act on a terminal", async () => {
  await surviveAnswers(effort(1_350, 9_000));
});

test("nor do bytes that are no answer", async () => {
  await surviveWire(effort(180, 1_000));
});
