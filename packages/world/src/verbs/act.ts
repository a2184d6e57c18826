import type { VerbCall } from '@treeos/core'
import { bothGates, requireListed } from '../gates/both-gates.ts'
import { ceilingsOf } from '../gates/list-gate.ts'
import { requirePart } from '../gates/thread-part.ts'
import { nameOf, resolve } from '../read/target.ts'
import { canonicalTarget } from '../rows/lists.ts'
import type { Act, Acting } from './acting.ts'
import { publishesCatalogs } from './catalogs.ts'
import { type Descriptor, describe } from './descriptor.ts'
import { identify, operate, requireBounded } from './operate.ts'
import { summon } from './summon.ts'

/**
 * Runs one verb call through both gates and decides it.
 * @throws {TreeosError} FORBIDDEN from either gate, or the code of what is wrong; then nothing is written
 * @throws whatever a read failed with
 */
export async function decideCall(call: VerbCall, at: Acting): Promise<Act> {
  try {
    const act = await decide(call, at)
    requireBounded(act)
    return act
  } finally {
    at.reader.requireWhole() // an operation may have taken a read that failed for one that found nothing
  }
}

function decide(call: VerbCall, at: Acting): Promise<Act> {
  switch (call.verb) {
    case 'see':
      return look(call.address, at)
    case 'summon':
      return summon(call, at)
    case 'do':
      return operate(call.action, call.target, call.args, at)
    case 'be':
      return identify(call.operation, call.payload, at)
  }
}

/** A look seals nothing; it must be allowed all the same. */
async function look(address: string, at: Acting): Promise<Act> {
  requireListed(
    at.surface,
    await ceilingsOf(at.reader, at.me),
    'see',
    canonicalTarget('canSee', address, at.me.home),
  )
  const target = await resolve(at, address)
  if (target.kind === 'thread') requirePart(at.me, target.thread)
  const by = await bothGates(at, 'see', nameOf(target), { key: nameOf(target), target, fallback: ['anyone'] })
  const seen = async (): Promise<Descriptor> => {
    const entry = await describe(at.reader, target)
    return publishesCatalogs(target) ? { ...entry, catalogs: await at.catalogs() } : entry
  }
  return { facts: [], wakes: [], closes: [], result: null, specs: [], seen, remark: null, by }
}
