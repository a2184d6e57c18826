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

/** A receipt in Markdown: what it claims. What proves it is the envelope alone. */
export function receiptText(envelope: Envelope): string {
  const { subject, predicate } = statementIn(envelope)
  const verdict = textOf(predicate?.verdict)
  const lines = [
    t('# Receipt of {{name}}', { name: onOneLine(textOf(subject?.[0]?.name)) }),
    Object.hasOwn(VERDICTS, verdict) ? `${VERDICTS[verdict]} (\`${verdict}\`)` : quoted(verdict),
    [
      t('- Reality: {{reality}}', { reality: onOneLine(textOf(predicate?.reality)) }),
      t('- Done to: {{target}}', { target: onOneLine(textOf(predicate?.target)) }),
      t('- SHA-256 of the record of the moment: {{digest}}', {
        digest: onOneLine(textOf(subject?.[0]?.digest?.sha256)),
      }),
      ...envelope.signatures.map(({ keyid }) => t('- Signed by: {{key}}', { key: onOneLine(textOf(keyid)) })),
    ].join('\n'),
    t('What was decided:'),
    quoted(textOf(predicate?.moment?.decision)),
    t('This text proves nothing. The file of the receipt does: `treeos verify --receipt FILE` checks it.'),
  ]
  return `${lines.join('\n\n')}\n`
}
