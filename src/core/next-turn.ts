/** The next turn of the event loop: signals, keys and answers come only between turns. */
export function nextTurn(): Promise<void> {
  return new Promise((resume) => setImmediate(resume));
}
