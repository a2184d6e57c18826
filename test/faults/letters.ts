/** The letters that persons of an experiment post, and the rules that hold for them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Reality, StoreDb } from '@treeos/store'
import { type Kysely, sql } from 'kysely'
import { startPostOffice } from '../support/post-office.ts'
import type { Random } from './random.ts'

/** The request of a process that has just died may still arrive. */
const LAG_MS = 500

/** A letter that the office took. */
export interface Letter {
  readonly text: string
  readonly key: string
  /** ms since 1970 */
  readonly at: number
  /** its result was stored already when it came */
  readonly wasKept: boolean
}

/** Where letters go. */
export interface Office {
  readonly url: string
  /** in order of arrival */
  readonly letters: readonly Letter[]
  close(): Promise<void>
}

/** @param letterMsMax longest time that it takes for a letter before it answers */
export async function startOffice(
  { db, reality }: { readonly db: Kysely<StoreDb>; readonly reality: Reality },
  { random, letterMsMax }: { readonly random: Random; readonly letterMsMax: number },
): Promise<Office> {
  const letters: Letter[] = []
  const office = await startPostOffice(async ({ text, key }) => {
    const at = Date.now()
    letters.push({ text, key, at, wasKept: await isKept(db, key.slice(reality.id.length + 1)) })
    await sleep(random.next() * letterMsMax)
  })
  return { url: office.url, letters, close: () => office.close() }
}

async function isKept(db: Kysely<StoreDb>, moment: string): Promise<boolean> {
  const { rows } = await sql`
    select from treeos.moment_effect where moment = ${moment} and result is not null`.execute(db)
  return rows.length > 0
}

/**
 * Every letter came, under one key of its own. It came again only if something died after its first arrival
 * and before its result was stored.
 * @param posted texts of the letters of all accepted acts
 * @param faults ms since 1970
 */
export function judgeLetters(
  letters: readonly Letter[],
  posted: readonly string[],
  faults: readonly number[],
): string[] {
  const broken: string[] = []
  for (const text of posted) {
    const came = letters.filter((letter) => letter.text === text)
    const keys = new Set(came.map(({ key }) => key))
    if (keys.size !== 1) broken.push(`letter ${text} came under ${keys.size} keys`)
    for (const [i, { at, wasKept }] of came.entries()) {
      const before = came[i - 1]
      if (before === undefined) continue
      if (wasKept) broken.push(`letter ${text} came again after what came of it was kept`)
      else if (!faults.some((fault) => fault >= before.at - LAG_MS && fault <= at))
        broken.push(`letter ${text} came ${came.length} times, with nothing dying between ${i} and ${i + 1}`)
    }
  }
  const textsOf = Map.groupBy(letters, ({ key }) => key)
  for (const [key, under] of textsOf) {
    const texts = [...new Set(under.map(({ text }) => text))]
    if (texts.length > 1) broken.push(`key ${key} came with the letters ${texts.join(', ')}`)
    for (const text of texts) if (!posted.includes(text)) broken.push(`letter ${text} was posted by nobody`)
  }
  return broken
}
