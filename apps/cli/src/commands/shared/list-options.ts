import type { BeingName } from '@treeos/core'
import type { Command } from 'commander'
import { type Cell, csvOf } from '../../text/csv.ts'
import { UsageError } from '../../text/failure.ts'
import { requireStance } from '../../text/input.ts'
import { instantOf } from '../../text/instant.ts'
import type { Output } from '../../text/output.ts'

/** Options of every command that lists acts. */
export interface ListingOptions {
  readonly since?: number
  readonly until?: number
  readonly being?: string
  readonly person?: string
  readonly csv?: true
}

/** Which of them are listed. */
export interface ListingBounds {
  /** milliseconds: from, and before */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly being?: BeingName | undefined
  readonly person?: BeingName | undefined
}

interface ListOfActs {
  /** what the options of beings and persons mean there */
  readonly being: string
  readonly person: string
  /** what waits now was not done yet, so no period bounds it */
  readonly isWaiting?: true
}

/** All commands that list acts, by their paths. Each takes the same options; a test fails for another list. */
export const LISTS_OF_ACTS = {
  moments: {
    being: 'the same as the stance',
    person: 'those that it lived, or decided as the driver of another',
  },
  tail: { being: 'the same as the stance', person: 'only what this person did, itself or as a driver' },
  search: { being: 'only what this being said, was told or did', person: 'the same, of a person' },
  'thread list': {
    being: 'only those in which this being takes part',
    person: 'the same, of a person',
  },
  'thread show': {
    being: 'only the lines that this being said or was told',
    person: 'the same, of a person',
  },
  'inbox list': { being: 'only what this being sent', person: 'the same, of a person' },
  approvals: {
    being: 'only those of this being',
    person: 'only those that it asks itself, or as a driver',
    isWaiting: true,
  },
  'role versions': { being: 'only those that this being wrote', person: 'the same, of a person' },
  'hold list': { being: 'only those on this being', person: 'only those that this person set' },
  'person find': { being: 'only what this being did or lived', person: 'the same, of a person' },
} as const satisfies Readonly<Record<string, ListOfActs>>

/** Adds the options that all lists of acts have. @param path of the command */
export function listsActs(command: Command, path: keyof typeof LISTS_OF_ACTS): Command {
  const { being, person, isWaiting }: ListOfActs = LISTS_OF_ACTS[path]
  if (isWaiting !== true)
    command
      .option(
        '--since <time>',
        'from this time on: a day, a time, or a span back as in 24h',
        instantOf('--since'),
      )
      .option('--until <time>', 'before this time', instantOf('--until'))
  return command
    .option('--being <stance>', being)
    .option('--person <stance>', person)
    .option('--csv', 'as CSV, for a spreadsheet')
}

/** @throws {UsageError} */
export function boundsOf(
  { since, until, being, person }: ListingOptions,
  me: BeingName = 'operator',
): ListingBounds {
  if (since !== undefined && until !== undefined && since >= until)
    throw new UsageError('--since is not before --until')
  const nameIn = (stance: string | undefined) =>
    stance === undefined ? undefined : requireStance(stance, me)
  return { since, until, being: nameIn(being), person: nameIn(person) }
}

/** Whether a time is of the period. @param iso when it was */
export const isWithin = ({ since, until }: ListingBounds, iso: string): boolean => {
  const at = Date.parse(iso)
  return (since === undefined || at >= since) && (until === undefined || at < until)
}

/** Whether the participants include everybody that the options name. @param stances of the participants */
export const isAmong = ({ being, person }: ListingBounds, stances: readonly (string | null)[]): boolean =>
  [being, person].every((name) => name === undefined || stances.includes(`@${name}`))

/** Columns of a list as a spreadsheet has them: what each shows of an item. */
export type Columns<T> = Readonly<Record<string, (item: T) => Cell>>

/**
 * Shows a list: as CSV where it is asked to, else as the command does.
 * @param show prints it as JSON, or for people
 */
export function tellListed<T>(
  out: Output,
  { csv }: ListingOptions,
  items: readonly T[],
  columns: Columns<T>,
  show: () => void,
): void {
  if (csv !== true) {
    show()
    return
  }
  const shown = Object.values(columns)
  const rows = items.map((item) => shown.map((cell) => cell(item)))
  requireOneForm(out)
  out.csv(csvOf(Object.keys(columns), rows))
}

/** Shows a list that grows, item by item. @returns what shows one; undefined where it is not asked for CSV */
export function csvLines<T>(
  out: Output,
  { csv }: ListingOptions,
  columns: Columns<T>,
): ((item: T) => void) | undefined {
  if (csv !== true) return undefined
  requireOneForm(out)
  out.csv(csvOf(Object.keys(columns), []))
  return (item) =>
    out.csv(
      csvOf(
        Object.values(columns).map((cell) => cell(item)),
        [],
      ),
    )
}

function requireOneForm(out: Output): void {
  if (out.json) throw new UsageError('either --csv or --json')
}
