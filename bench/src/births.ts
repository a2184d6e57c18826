import { beingReel, type FactDraft, type JsonObject, spaceReel } from '@treeos/core'
import { appendSystemFacts, type OpenReality, readerOf } from '@treeos/reality'
import { OPERATOR } from '@treeos/world'

const BIRTHS_AT_ONCE = 250

export interface Newborn {
  readonly name: string
  readonly cognition: JsonObject
  readonly roleFlow: JsonObject['roleFlow']
}

/** Births many beings in a few appends: one act per birth would take longer than the benchmark. */
export async function bear(at: OpenReality, newborns: readonly Newborn[]): Promise<void> {
  for (let from = 0; from < newborns.length; from += BIRTHS_AT_ONCE) {
    const drafts = newborns
      .slice(from, from + BIRTHS_AT_ONCE)
      .flatMap(({ name, cognition, roleFlow }): FactDraft[] => {
        const payload = {
          name,
          parent: OPERATOR,
          cognition,
          defaultRole: 'resident',
          home: '/',
          qualities: { roleFlow: roleFlow ?? [] },
          ceiling: null,
        }
        // As an act of birth writes them: replay reads from the reels who is where, and of whom.
        return [
          { reel: beingReel(name), kind: 'being:born', payload },
          { reel: beingReel(OPERATOR), kind: 'being:bore', payload: { being: name } },
          { reel: spaceReel('/'), kind: 'space:entered', payload: { being: name, from: null } },
        ]
      })
    if (!(await appendSystemFacts(at, drafts, readerOf(at))))
      throw new Error('another writer moved a head while the beings were born')
  }
}
