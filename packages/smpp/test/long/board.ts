/** A thread shares two numbers and its current input. These are the octets before the input. */
export const boardHead = 16;
