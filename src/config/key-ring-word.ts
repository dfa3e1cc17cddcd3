/** The first argument of the process that calls the key ring; a file of its own, so that start-up loads no more. */

export const keyRingWord = "__key-ring";
