/** Every field of bundles and receipts: left out, null, and of each other type, with all hashes computed again. */
import type { Json } from '@treeos/core'
import type { LogKey } from '../support/naive-log.ts'
import { bundleOfParts, type ChangedAudit, enveloped, partsOf, statementIn } from './changed-audits.ts'
import { mendedBundle, mendedStatement, type Part } from './mutations.ts'

const LEFT_OUT = 'left out'
const CHANGES: readonly (Json | typeof LEFT_OUT)[] = [
  ...[LEFT_OUT, null, true, false, 0, 1.5, -1, '', 'x'],
  ...[[], {}, [null]],
]

/** One field with one change. Places that differ in nothing but names and numbers are one field. */
export interface FieldChange {
  readonly field: string
  readonly change: string
  /** null where what was changed has no hashes */
  make(): ChangedAudit | null
}

export type Way = readonly string[]
/** Objects whose keys are names and no fields. */
const OF_NAMES =
  /(^|\/)(reels|roles|cuts|world|do|be|see|summon|extensions|schedules|hooks|quality|qualities)$/

/** What a part is of, as far as its fields depend on it: the kind of a fact, or the operation of a call. */
function kindOf(value: Part): string {
  if (value.verb !== undefined) return `<${value.verb} ${value.operation ?? ''}>`
  const header = value.header ?? (Array.isArray(value) ? (value[0]?.kind ? value[0] : value[1]) : null)
  return typeof header?.kind === 'string' ? `<${header.kind}>` : ''
}

/** Every place in a value, as the field that it is and the way there. */
export function* fieldsIn(value: unknown, path = '', way: Way = []): Generator<[field: string, way: Way]> {
  if (typeof value !== 'object' || value === null) return
  const here = path + kindOf(value as Part)
  const isLink = Array.isArray(value) && here.endsWith('>')
  for (const [key, one] of Object.entries(value)) {
    const isField = isLink || (!Array.isArray(value) && !OF_NAMES.test(path) && /^[a-zA-Z]+$/.test(key))
    const field = `${here}/${isField ? key : '*'}`
    yield [field, [...way, key]]
    yield* fieldsIn(one, field, [...way, key])
  }
}

function changeAt(root: Part, way: Way, to: Json | typeof LEFT_OUT): void {
  const [last = '', holder] = [way.at(-1), way.slice(0, -1).reduce((part, key) => part[key], root)]
  if (to !== LEFT_OUT) holder[last] = structuredClone(to)
  else if (Array.isArray(holder)) holder.splice(Number(last), 1)
  else delete holder[last]
}

/** A part of an audit that is changed, and how it is written again. */
interface ChangeableAudit {
  readonly of: 'bundle' | 'receipt'
  /** a copy of its own for each change */
  read(): Part
  written(changed: Part): ChangedAudit['shown']
}

function* changesOf(audit: ChangeableAudit, seen: Set<string>): Generator<FieldChange> {
  for (const [path, way] of fieldsIn(audit.read())) {
    const field = `${audit.of}${path}`
    if (seen.has(field)) continue
    seen.add(field)
    for (const to of CHANGES) {
      const change = to === LEFT_OUT ? to : JSON.stringify(to)
      const make = () => {
        const copy = audit.read()
        changeAt(copy, way, to)
        try {
          return { change: `${field}: ${change}`, shown: audit.written(copy) }
        } catch {
          return null
        }
      }
      yield { field, change, make }
    }
  }
}

const isPlain = ({ kind }: Part): boolean => kind !== 'checkpoint' && kind !== 'proof' // they are of the hashes before

/** All changes of all fields that these have, each in the smallest one that has the field. */
export function fieldChanges(
  bundles: readonly Buffer[],
  receipts: readonly string[],
  key: LogKey,
): readonly FieldChange[] {
  const bySize = <T extends { readonly length: number }>(all: readonly T[]) =>
    [...all].sort((a, b) => a.length - b.length)
  const audits: ChangeableAudit[] = [
    ...bySize(bundles).map((bundle) => ({
      of: 'bundle' as const,
      read: () => ({ ...partsOf(bundle).filter(isPlain) }),
      written: (changed: Part) => ({ bundle: bundleOfParts(mendedBundle(Object.values(changed))) }),
    })),
    ...bySize(receipts).map((receipt) => ({
      of: 'receipt' as const,
      read: () => statementIn(receipt),
      written: (changed: Part) => ({ receipt: enveloped(mendedStatement(changed), key) }),
    })),
  ]
  const seen = new Set<string>()
  return audits.flatMap((audit) => [...changesOf(audit, seen)])
}
