/** 128 random bits. The function for a UUID is missing in pages over plain http from another machine. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, '0')).join(
    '',
  )
