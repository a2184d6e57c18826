/**
 * A handle of an overlay, `<id of its vault>.<secret in base64url>`: who has it, and the purpose, gets the
 * overlay.
 */

export const SECRET_BYTES = 32
/** the end of the secret */
export const MARK_BYTES = 16

/** Name of the vault that a handle is of. */
export const vaultOf = (handle: string): string => handle.slice(0, handle.indexOf('.'))

/** The mark that a handle was given by `Vault.put`; of one that was given none, a random text. */
export const markOf = (handle: string): string =>
  Buffer.from(handle.slice(handle.indexOf('.') + 1), 'base64url')
    .subarray(SECRET_BYTES - MARK_BYTES)
    .toString('hex')
