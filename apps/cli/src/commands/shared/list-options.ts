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

/**
 * Adds the options that all lists of acts have.
 * @param of whose they are: what the options of beings and persons mean here
 */
export const listsActs = (command: Command, of: WhoseActs) =>
  listsWaiting(
    command
      .option(
        '--since <time>',
        'from this time on: a day, a time, or a span back as in 24h',
        instantOf('--since'),
      )
      .option('--until <time>', 'before this time', instantOf('--until')),
    of,
  )

interface WhoseActs {
  readonly being: string
  readonly person: string
}

/** The same for what waits now, and was not done yet. */
export const listsWaiting = (command: Command, of: WhoseActs) =>
  command
    .option('--being <stance>', of.being)
    .option('--person <stance>', of.person)
    .option('--csv', 'as CSV, for a spreadsheet')

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
  if (out.json) throw new UsageError('either --csv or --json')
  const shown = Object.values(columns)
  const rows = items.map((item) => shown.map((cell) => cell(item)))
  out.csv(csvOf(Object.keys(columns), rows))
}
