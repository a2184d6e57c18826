import { writeFile } from 'node:fs/promises'
import type { HoldView, PersonDataItem } from '@treeos/client'
import { TreeosError } from '@treeos/core'
import type { ActingOptions, Cli, InstanceOptions } from '../cli.ts'
import { ERASE } from '../served/acts.ts'
import { HOLDS, PERSON_DATA, REPORT } from '../served/audit.ts'
import { mine, serve } from '../served/serve.ts'
import { shownHolds, shownPersonData, shownPersonErased, shownReported } from '../show/audit.ts'
import { nameCell } from '../text/csv.ts'
import { fileError, UsageError } from '../text/failure.ts'
import { requireStance } from '../text/input.ts'
import { instantOf } from '../text/instant.ts'
import { jsonLine } from '../text/output.ts'
import { acts, doing } from './shared/act.ts'
import {
  boundsOf,
  type Columns,
  isAmong,
  isWithin,
  type ListingOptions,
  listsActs,
  tellListed,
} from './shared/list-options.ts'

/** `treeos hold | person | report`: what is asked of the record by law. */
export function addAudit(cli: Cli): void {
  addHold(cli)
  addPerson(cli)
  addReport(cli)
}

function addHold(cli: Cli): void {
  cli.describeGroup('hold', 'legal holds: what is under one cannot be erased')
  for (const [verb, operation, about] of [
    [
      'set',
      'set-hold',
      'put a legal hold on a being, a space, a thing or / (all)\nOn a being it covers all that concerns it: what it said and did, what was said to it, and what others did for it.',
    ],
    ['lift', 'lift-hold', 'lift a legal hold'],
  ] as const)
    acts(
      cli,
      cli
        .asBeing(`${verb} <address> <name>`, about, 'hold')
        .requiredOption('--why <text>', 'the reason, which stays'),
      (address: string, name: string, { why }: ActingOptions & { readonly why: string }) =>
        doing(address, operation, { name, why }),
    )
  listsActs(
    cli.onInstance('list', 'list the legal holds in force, oldest first', 'hold'),
    'hold list',
  ).action(
    cli.run(async (out, options: InstanceOptions & ListingOptions) => {
      const { being, person, ...within } = boundsOf(options, mine(options))
      const found = (await serve(options, HOLDS, null)).filter(
        ({ on, by, at }) => isWithin(within, at) && isAmong({ being }, [on]) && isAmong({ person }, [by]),
      )
      tellListed(out, options, found, HOLD_COLUMNS, () => out.value(found, shownHolds))
    }),
  )
}

const HOLD_COLUMNS: Columns<HoldView> = {
  on: ({ on }) => nameCell(on),
  name: ({ name }) => name,
  at: ({ at }) => at,
  by: ({ by }) => nameCell(by),
  why: ({ why }) => why,
}

const COLUMNS: Columns<PersonDataItem> = {
  kind: ({ kind }) => kind,
  id: ({ id }) => id,
  what: ({ what }) => what,
  by: ({ by }) => nameCell(by),
  at: ({ at }) => at,
  state: ({ state }) => state,
  hold: ({ hold }) => hold,
}

const WHO =
  'what they said and did, what was said to them, and each moment that they lived or that came of them'

function addPerson(cli: Cli): void {
  cli.describeGroup('person', 'one person’s data, over all beings')
  listsActs(
    cli.onInstance('find <stance>', `list all that is kept of a person\nThat is ${WHO}.`, 'person'),
    'person find',
  ).action(
    cli.run(async (out, stance: string, options: InstanceOptions & ListingOptions) => {
      const bounds = boundsOf(options, mine(options))
      const items = (await itemsOf(options, stance, false)).filter(
        ({ at, by }) => isWithin(bounds, at) && isAmong(bounds, [by]),
      )
      const found = { person: `@${requireStance(stance, mine(options))}`, ...summaryOf(items), items }
      tellListed(out, options, items, COLUMNS, () => out.value(found, shownPersonData))
    }),
  )
  cli
    .onInstance(
      'export <stance>',
      `write all that is kept of a person, an item a line\nThat is ${WHO}.`,
      'person',
    )
    .argument('<file>', 'JSON lines')
    .action(
      cli.run(async (out, stance: string, file: string, options: InstanceOptions) => {
        const items = await itemsOf(options, stance, true)
        await write(file, items.map((item) => `${jsonLine(item)}\n`).join(''))
        const told = { file, person: `@${requireStance(stance, mine(options))}`, ...summaryOf(items) }
        out.value(told, shownPersonData)
      }),
    )
  cli
    .asBeing(
      'erase <stance>',
      'erase all that is kept of a person\nEach fact and moment by an act of its own. What is under a hold, lasts, or is needed by what lives stays, and is named with the reason.',
      'person',
    )
    .requiredOption('--why <text>', 'the reason, which stays')
    .action(
      cli.run(async (out, stance: string, { why, ...options }: ActingOptions & { readonly why: string }) => {
        const as = requireStance(options.as)
        const erased: string[] = []
        const kept: { id: string; what: string; why: string }[] = []
        for (const { id, what, state, hold } of await itemsOf(options, stance, false)) {
          if (state === 'gone') continue
          const stays =
            hold !== undefined ? `it is under the hold ${hold}` : state === 'lasting' ? 'it lasts' : null
          const refusal = stays ?? (await erasing(options, { as, what: id, why }))
          if (refusal === null) erased.push(id)
          else kept.push({ id, what, why: refusal })
          out.progress(`${erased.length} erased, ${kept.length} kept`)
        }
        const person = `@${requireStance(stance, mine(options))}`
        out.value({ person, erased, kept }, shownPersonErased)
      }),
    )
}

/** @returns why it stays; null where it is erased */
async function erasing(
  options: ActingOptions,
  asked: { readonly as: string; readonly what: string; readonly why: string },
): Promise<string | null> {
  try {
    await serve(options, ERASE, asked)
    return null
  } catch (error) {
    if (error instanceof TreeosError && error.code === 'RESOURCE_CONFLICT') return error.message
    throw error
  }
}

const itemsOf = (options: InstanceOptions, stance: string, contents: boolean) =>
  serve(options, PERSON_DATA, { person: requireStance(stance, mine(options)), contents })

function summaryOf(items: readonly PersonDataItem[]) {
  const beings = new Map<string, { being: string; facts: number; moments: number }>()
  for (const { by, kind } of items) {
    const one = beings.get(by) ?? { being: by, facts: 0, moments: 0 }
    beings.set(by, one)
    one[kind === 'fact' ? 'facts' : 'moments'] += 1
  }
  const countOf = (kind: string) => items.filter((item) => item.kind === kind).length
  const held = [...new Set(items.flatMap(({ hold }) => hold ?? []))].sort()
  return { facts: countOf('fact'), moments: countOf('moment'), beings: [...beings.values()], held }
}

function addReport(cli: Cli): void {
  cli
    .onInstance(
      'report <file>',
      'write what an audit of a period asks for into one file\nActs and what permitted them, refusals, changes of authority, approvals, erasures, holds, models and checkpoints, as JSON.',
    )
    .requiredOption('--since <time>', 'from this time on', instantOf('--since'))
    .requiredOption('--until <time>', 'before this time', instantOf('--until'))
    .action(
      cli.run(
        async (
          out,
          file: string,
          { since, until, ...options }: InstanceOptions & { readonly since: number; readonly until: number },
        ) => {
          if (since >= until) throw new UsageError('--since is not before --until')
          const report = await serve(options, REPORT, { since, until })
          await write(file, `${JSON.stringify(report, null, 2)}\n`)
          const { acts, refusals, authority, approvals, erasures, holds, models, checkpoints } = report
          const lists = { acts, refusals, authority, approvals, erasures, holds, models, checkpoints }
          const counts = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, list.length]))
          out.value({ file, since: report.since, until: report.until, ...counts }, shownReported)
        },
      ),
    )
}

async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 }).catch((error) => {
    throw fileError(file, 'cannot be written', error)
  })
}
