import type { DecidingModel } from '@treeos/core'
import type { BundleReport } from './bundle/bundle-report.ts'
import type { BundleCover } from './bundle/cover.ts'
import type { SignedCheckpoint } from './checkpoint.ts'
import type { FollowReport } from './follow.ts'
import type { CheckedReceipt, CheckedReceipts } from './receipt/receipt.ts'

/** Names and texts of a bundle are anybody's: a terminal must not obey them. */
const printable = (text: string): string =>
  text.replace(/\p{C}|[\u2028\u2029]/gu, (unit) => `\\u{${unit.codePointAt(0)?.toString(16)}}`)

const notProven = (lines: readonly string[]): string[] => lines.map((line) => `not proven: ${line}`)

const told = (at: number | null): string =>
  at === null || !(Math.abs(at) <= 8.64e15) ? '' : ` at ${new Date(at).toISOString()}`

/** Who cosigned a checkpoint, and when. */
const cosigners = (checkpoint: Pick<SignedCheckpoint, 'cosigned'> | null): string[] =>
  (checkpoint?.cosigned ?? []).map(({ by, at }) => `cosigned by ${by}${told(1000 * at)}`)

const scopeText = (scope: BundleCover | null): string => {
  if (scope === null || 'all' in scope) return ''
  const { being, since, until } = scope
  return `@${being}${since === 1 && until === null ? '' : `, moments ${since} to ${until ?? 'the newest'}`}: `
}

/** The result of the check of a bundle, for people. */
export function shownVerified({
  reels,
  facts,
  moments,
  status,
  scope,
  broken,
  checkpoint,
  covered,
  erased,
  unproven,
}: BundleReport): string {
  const [first] = broken
  // Of another file each line is a fault, and none of them says more than the first.
  if (first !== undefined && facts + moments + reels === 0 && scope === null && checkpoint === null)
    return printable(`${status}: this is not an audit bundle: line ${first.line}: ${first.what}`)
  const log =
    checkpoint === null
      ? []
      : [
          `checkpoint of ${checkpoint.size} entries${checkpoint.signed ? ', signed by the key' : ''}: it holds ${covered} of these facts and moments`,
        ]
  return [
    `${status}: ${scopeText(scope)}${facts} facts on ${reels} reels, ${moments} moments`,
    ...broken.map(({ line, reel, seq, reason, what }) => `line ${line}: ${reel} ${seq}: ${reason}: ${what}`),
    ...log,
    ...cosigners(checkpoint),
    ...erased.map(
      ({ reel, seq, what, by, why, at }) =>
        `erased: the ${what} of ${reel} ${seq}${by === null ? '' : `, by @${by}${told(at)}: ${why}`}`,
    ),
    ...notProven(unproven),
  ]
    .map(printable)
    .join('\n')
}

/** The result of the check of a receipt, for people. */
export function shownReceipt({
  status,
  broken,
  derived,
  signed,
  checkpoint,
  unproven,
}: CheckedReceipt): string {
  if (derived === null)
    return [status, ...broken.map(({ reason, what }) => `${reason}: ${what}`), ...notProven(unproven)]
      .map(printable)
      .join('\n')
  const { verdict, outcome, reason, moment, verb, asked, target, roles, gates, lineage, signing, model } =
    derived
  return [
    `${status}: ${moment} ${verb} ${asked}${asked === target ? '' : ` on ${target}`}: ${verdict}`,
    ...broken.map(({ reason, what }) => `${reason}: ${what}`),
    ...(outcome === 'failure' ? [`it ended in failure: ${reason}`] : []),
    ...(outcome === 'see' && reason !== null ? [`it was told: ${reason}`] : []),
    ...roles.map(
      ({ role, clause }) =>
        `role ${role}, by ${typeof clause === 'number' ? `clause ${clause} of the flow` : clause === 'default' ? 'default' : 'the wish of the sender'}`,
    ),
    ...gates.map(({ allowed, by }) => `${allowed ? 'allowed' : 'refused'} by ${by}`),
    ...(model === null ? [] : [`decided by the model ${shownModel(model)}`]),
    ...(lineage.length === 0 ? [] : [`child of ${lineage.map((name) => `@${name}`).join(', then ')}`]),
    ...(signing.kind === 'signed' ? [`signed by a passkey of @${signing.by}${told(signing.at)}`] : []),
    ...(signed === true ? ['signed by the key'] : []),
    ...(checkpoint === null ? [] : [`in the log: checkpoint of ${checkpoint.size} entries`]),
    ...cosigners(checkpoint),
    ...notProven(unproven),
  ]
    .map(printable)
    .join('\n')
}

/** A model as it was asked for, with the name that its server gave it where that is another one. */
function shownModel({ asked, named, connection, settings }: DecidingModel): string {
  const server = named === null || named === asked ? '' : `, which its server names ${named}`
  const by = connection === undefined ? '' : ` of the connection ${connection}`
  return `${asked}${by}${server}${Object.keys(settings).length === 0 ? '' : `, with ${JSON.stringify(settings)}`}`
}

/** The results of several receipts, for people. */
export const shownReceipts = ({ receipts }: CheckedReceipts): string =>
  receipts.map(shownReceipt).join('\n\n')

/** The result of the comparison of two checkpoints, for people. */
export const shownFollowed = ({ broken, older, newer, cosigned }: FollowReport): string =>
  [
    broken === null
      ? `ok: the log of ${newer} entries begins with the ${older} entries of the older checkpoint`
      : `broken: ${broken}`,
    ...cosigners({ cosigned }),
  ]
    .map(printable)
    .join('\n')
