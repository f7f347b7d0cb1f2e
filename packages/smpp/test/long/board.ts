/** The octets of a board before its input: two numbers. The board is the memory that a thread of the fuzzer shares. */
export const boardHead = 16;
