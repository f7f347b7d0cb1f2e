/** What a thread shows of itself, two numbers and the input at hand: octets before the input. */
export const boardHead = 16;
