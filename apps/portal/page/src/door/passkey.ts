import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser'
import { t } from '../language/index.ts'

/** Browsers know passkeys on pages of https and of localhost alone. */
export const knowsPasskeys = (): boolean => browserSupportsWebAuthn() && window.isSecureContext

/** Lets the browser make a passkey. @throws {Error} that says what to do */
export const makePasskey = (optionsJSON: PublicKeyCredentialCreationOptionsJSON) =>
  startRegistration({ optionsJSON }).catch(explain)

/** Lets the browser find a passkey. @throws {Error} that says what to do */
export const findPasskey = (optionsJSON: PublicKeyCredentialRequestOptionsJSON) =>
  startAuthentication({ optionsJSON }).catch(explain)

const PASSKEY_FAULTS: Readonly<Record<string, string>> = {
  NotAllowedError: t(
    'No passkey was used: it was cancelled, it took too long, or there is none for this page.',
  ),
  InvalidStateError: t('This device has a passkey for you already.'),
  NotSupportedError: t('This device makes no passkeys that the portal takes.'),
  SecurityError: t(
    'The browser refuses passkeys at this address: open the portal as localhost, or by https.',
  ),
}

function explain(error: unknown): never {
  const { name = '', message = '' } = error instanceof Error ? error : {}
  throw new Error(PASSKEY_FAULTS[name] ?? message, { cause: error })
}
