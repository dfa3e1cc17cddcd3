import { test } from "vitest";
import { effort } from "../support/effort.ts";
import { surviveAnswers, surviveWire } from "./survive.ts";

test("no answer makes a command crash, ask without end, or act on a terminal", async () => {
  await surviveAnswers(effort(600, 9_000));
});

test("nor do bytes that are no answer", async () => {
  await surviveWire(effort(80, 1_000));
});
