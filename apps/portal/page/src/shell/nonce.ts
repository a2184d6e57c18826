/** The policy of the page takes only styles with the nonce of this response. */
export const styleNonce = (): string =>
  document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? ''
