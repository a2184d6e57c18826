import { createHash } from 'node:crypto'
import type { FactDraft, Json, ReelId } from '@treeos/core'
import { buildFacts } from '@treeos/store'
import { isPermissionFact } from '@treeos/verify'

/** Reels in memory, with the hashes that a reality would give them, in the form of a receipt's witness. */
export class ChainedReels {
  readonly reality = '00000000-0000-4000-8000-000000000000'
  readonly reels: Record<ReelId, Json[]> = {}
  readonly #heads = new Map<ReelId, { reel: ReelId; seq: number; hash: string; stateSeq: number }>()

  write(actor: string, drafts: readonly FactDraft[]): void {
    for (const draft of drafts) {
      const origin = createHash('sha256')
        .update(`treeos.genesis.v1\0${this.reality}\0${draft.reel}`)
        .digest('hex')
      const head = this.#heads.get(draft.reel) ?? { reel: draft.reel, seq: 0, hash: origin, stateSeq: 0 }
      const by = { actor, driver: null, moment: 'ann/1/1', cause: null, at: 0, stack: null }
      const [fact] = buildFacts(new Map([[draft.reel, head]]), [draft], by)
      const { ref, header, salt, bytes } = fact!
      this.#heads.set(draft.reel, { ...head, seq: ref.seq, hash: ref.hash })
      const kept = isPermissionFact(draft.reel, draft.kind)
        ? [salt.toString('hex'), JSON.parse(bytes.toString())]
        : [null, null]
      const link = [JSON.parse(header.toString()), ...kept]
      this.reels[draft.reel] = [...(this.reels[draft.reel] ?? []), link]
    }
  }
}
