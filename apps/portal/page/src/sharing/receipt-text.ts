import { t } from '../language/index.ts'
import { onOneLine, quoted } from './quoted-text.ts'

/** A DSSE envelope, as the API gives it. */
export interface Envelope {
  readonly payload: string
  readonly signatures: readonly { readonly keyid?: string }[]
}

/** What a verdict claims, in words. */
const VERDICTS: Readonly<Record<string, string>> = {
  refused: t('It was not allowed.'),
  permitted: t('It was allowed; nothing says that it was done.'),
  asked: t('It was allowed once a person says yes, and nothing was done.'),
  'seen-to-run': t('It was allowed, and was done.'),
  'not-known': t('It was allowed; whether it happened is not known.'),
}

interface Statement {
  readonly subject?: readonly { readonly name?: unknown; readonly digest?: { readonly sha256?: unknown } }[]
  readonly predicate?: {
    readonly reality?: unknown
    readonly verdict?: unknown
    readonly target?: unknown
    readonly moment?: { readonly decision?: unknown; readonly record?: unknown }
  }
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')

/** @throws {Error} for a payload that is not the JSON of a statement */
function statementIn({ payload }: Envelope): Statement {
  const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0))
  return JSON.parse(new TextDecoder().decode(bytes)) as Statement
}

/** What a receipt claims, as texts without any markup. */
export interface ReceiptClaim {
  /** the record of which moment */
  readonly of: string
  /** in words; null for a verdict that this page does not know */
  readonly says: string | null
  readonly verdict: string
  /** names and values */
  readonly fields: readonly (readonly [string, string])[]
  readonly decision: string
}

/** What proves it is the envelope alone. */
export const RECEIPT_CHECK = 'treeos verify --receipt FILE'

export function receiptClaim(envelope: Envelope): ReceiptClaim {
  const { subject, predicate } = statementIn(envelope)
  const verdict = textOf(predicate?.verdict)
  return {
    of: textOf(subject?.[0]?.name),
    says: Object.hasOwn(VERDICTS, verdict) ? (VERDICTS[verdict] ?? null) : null,
    verdict,
    fields: [
      [t('Reality'), textOf(predicate?.reality)],
      [t('Done to'), textOf(predicate?.target)],
      [t('SHA-256 of the record of the moment'), textOf(subject?.[0]?.digest?.sha256)],
      ...envelope.signatures.map(({ keyid }) => [t('Signed by'), textOf(keyid)] as const),
    ],
    decision: textOf(predicate?.moment?.decision),
  }
}

/** The same in Markdown, as a file. */
export function receiptText(envelope: Envelope): string {
  const { of, says, verdict, fields, decision } = receiptClaim(envelope)
  const lines = [
    t('# Receipt of {{name}}', { name: onOneLine(of) }),
    says === null ? quoted(verdict) : `${says} (\`${verdict}\`)`,
    fields.map(([name, text]) => `- ${name}: ${onOneLine(text)}`).join('\n'),
    t('What was decided:'),
    quoted(decision),
    t('This text proves nothing. The file of the receipt does: {{command}} checks it.', {
      command: `\`${RECEIPT_CHECK}\``,
    }),
  ]
  return `${lines.join('\n\n')}\n`
}
