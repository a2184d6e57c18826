import { canonicalJson, type FactDraft, type Json } from '@treeos/core'
import {
  type BeingRow,
  evolve,
  genesisFacts,
  indexOf,
  type Row,
  type RowSource,
  rowKeyOf,
  type SpaceRow,
  WorldReader,
} from '../src/index.ts'

/** A world of rows alone, folded from facts as they are anywhere else. */
export class MemoryWorld {
  readonly rows = new Map<string, Row>()
  /** by content, so that forks can share it */
  readonly kept: Map<string, Json>

  constructor(facts: readonly FactDraft[] = genesisFacts(), kept = new Map<string, Json>()) {
    this.kept = kept
    this.write('$reality', facts)
  }

  /** Folds facts into rows, whoever may. */
  write(actor: string, facts: readonly FactDraft[]): void {
    for (const fact of facts) {
      const key = rowKeyOf(fact)
      if (key === null) continue
      const row = evolve(this.rows.get(key) ?? null, { ...fact, actor, at: 0 })
      if (row !== null) this.rows.set(key, row)
    }
  }

  /** Content is its own digest here: nothing can be kept under that of another. */
  readonly keep = (value: Json): string => {
    const digest = canonicalJson(value)
    this.kept.set(digest, value)
    return digest
  }

  being(name: string): BeingRow {
    return this.rows.get(`being:${name}`) as BeingRow
  }

  space(path: string): SpaceRow {
    return this.rows.get(`space:${path}`) as SpaceRow
  }

  reader(): WorldReader {
    return new WorldReader(this.source)
  }

  /** The same world, to try something in. */
  fork(): MemoryWorld {
    const fork = new MemoryWorld([], this.kept)
    for (const [key, row] of this.rows) fork.rows.set(key, row)
    return fork
  }

  readonly source: RowSource = {
    rows: async (keys) =>
      keys.map((key) => ({
        key,
        state: (this.rows.get(key) ?? null) as unknown as Json,
        head: { reel: key.startsWith('role:') ? 'registry' : key, seq: 0, hash: '', stateSeq: 0 },
      })),
    keysInPlace: async (place, kind) =>
      [...this.rows]
        .flatMap(([key, row]) => (key.startsWith(kind) && indexOf(key, row).place === place ? [key] : []))
        .sort(),
    keysOfChildren: async (being) =>
      [...this.rows].flatMap(([key, row]) => (indexOf(key, row).parent === being ? [key] : [])).sort(),
    keysOfBeings: async () => [...this.rows.keys()].filter((key) => key.startsWith('being:')).sort(),
    kept: async (digest) => this.kept.get(digest) ?? null,
  }
}

/** Facts of a birth by whoever may. */
export const born = (name: string, parent: string, more: Partial<BeingRow> = {}): FactDraft => ({
  reel: `being:${name}`,
  kind: 'being:born',
  payload: {
    name,
    parent,
    cognition: { kind: 'scripted', script: 'silent' },
    defaultRole: 'resident',
    home: '/',
    qualities: {},
    ceiling: null,
    ...more,
  } as never,
})

export const spaceMade = (path: string, owner: string | null, permissions?: Json): FactDraft => ({
  reel: `space:${path}`,
  kind: 'space:created',
  payload: { path, type: 'room', owner, qualities: permissions === undefined ? {} : { permissions } },
})
