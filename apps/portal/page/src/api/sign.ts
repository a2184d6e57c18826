import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/browser'

/** What the server asks a passkey to sign for an act. */
interface SigningChallenge {
  readonly salt: string
  readonly at: number
  readonly options: PublicKeyCredentialRequestOptionsJSON
}

/**
 * Lets a passkey of the person sign an act. Only who signs by a passkey loads what it takes.
 * @returns the header with which the act is sent again
 * @throws {Error} that says what to do, as when the person cancels
 */
export async function signed(detail: unknown): Promise<string> {
  const { salt, at, options } = detail as SigningChallenge
  const { findPasskey } = await import('../door/passkey.ts')
  const { id, rawId, response } = await findPasskey(options)
  const { authenticatorData, clientDataJSON, signature } = response
  const said = {
    salt,
    at,
    response: {
      id,
      rawId,
      type: 'public-key',
      clientExtensionResults: {},
      response: { authenticatorData, clientDataJSON, signature },
    },
  }
  // All of it is ASCII: base64url, hex and numbers.
  return btoa(JSON.stringify(said)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
