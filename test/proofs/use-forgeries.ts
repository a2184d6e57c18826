/** The head of tests that forge a reality which is lived in memory, and ask both offline verifiers about it. */
import type { JsonObject } from '@treeos/core'
import { afterAll, beforeAll, it } from 'vitest'
import { copyOf } from './generated-reality.ts'
import { type BothOpinions, bothOn } from './law-compared.ts'
import { mendedBundle, type Part } from './mutations.ts'
import { SecondVerifier, whyNoPython } from './second-opinion.ts'

const why = whyNoPython()
/** `it`, where there is a second verifier. */
export const judged: ReturnType<typeof it.skipIf> = it.skipIf(why !== null)

export interface Forgeries {
  readonly second: SecondVerifier
  /** of the lived reality, as they are */
  readonly lines: readonly JsonObject[]
  /** the lines, to be changed */
  copy(): Part[]
  /** What both say of lines, with all hashes made again. */
  opinionsOn(changed: Part[]): Promise<BothOpinions>
}

/** @param live gives the lines of its bundle; left out where each test lives a reality of its own */
export function useForgeries(live: () => Promise<readonly JsonObject[]> = async () => []): Forgeries {
  let second: SecondVerifier
  let lines: readonly JsonObject[]
  beforeAll(async () => {
    if (why === null) second = new SecondVerifier()
    lines = await live()
  })
  afterAll(() => second?.close())
  return {
    get second() {
      return second
    },
    get lines() {
      return lines
    },
    copy: () => copyOf(lines) as Part[],
    opinionsOn: (changed) => bothOn(mendedBundle(changed) as JsonObject[], second),
  }
}
