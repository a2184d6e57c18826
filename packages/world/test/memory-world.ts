import { canonicalJson, type FactDraft, type Json } from '@treeos/core'
import {
  type BeingRow,
  evolve,
  genesisFacts,
  memoryRows,
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
  readonly source: RowSource

  constructor(facts: readonly FactDraft[] = genesisFacts(), kept = new Map<string, Json>()) {
    this.kept = kept
    this.source = memoryRows(this.rows, kept)
    this.write('$reality', facts)
  }

  /** Folds facts into rows, whoever may. */
  write(actor: string, facts: readonly FactDraft[], at = 0): void {
    for (const fact of facts) {
      const key = rowKeyOf(fact)
      if (key === null) continue
      const row = evolve(this.rows.get(key) ?? null, { ...fact, actor, at })
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
