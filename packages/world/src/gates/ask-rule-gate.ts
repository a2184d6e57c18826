import { ROOT_SPACE, type Verb } from '@treeos/core'
import type { WorldReader } from '../read/reader.ts'
import type { OperationTarget } from '../read/target.ts'
import type { BeingRow } from '../rows/rows.ts'
import { requireAllowed, ruleGate } from './rule-gate.ts'
import type { RuleQuestion } from './rule-question.ts'

/** A call that the rule gate is asked about. */
interface TargetedCall {
  readonly key: string
  readonly target: OperationTarget
  readonly fallback: RuleQuestion['fallback']
}

/**
 * Asks the rule gate about a target.
 * @returns the address of the rule that allows it
 * @throws {TreeosError} FORBIDDEN
 */
export async function askRuleGate(
  reader: WorldReader,
  actor: BeingRow,
  verb: Verb,
  { key, target, fallback }: TargetedCall,
): Promise<string> {
  const question = { actor, verb, key, target: await standingPlace(reader, target), fallback }
  return requireAllowed(await ruleGate(reader, question), question)
}

/** The space where the rules for a target begin, and the owner where the target has one. */
async function standingPlace(reader: WorldReader, target: OperationTarget): Promise<RuleQuestion['target']> {
  switch (target.kind) {
    case 'being':
      return { being: target.being, space: target.being.space }
    case 'space':
      return { being: null, space: target.space.path }
    case 'thread':
      return { being: null, space: ROOT_SPACE }
    case 'matter': {
      const { owner, place } = target.matter
      const holder = place?.startsWith('@') ? await reader.being(place.slice(1)) : null
      return { being: null, space: holder?.space ?? place ?? ROOT_SPACE, owner }
    }
  }
}
