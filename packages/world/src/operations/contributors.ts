import { type BeingName, parseStance, spaceReel, stanceOf, TreeosError, unknownBeing } from '@treeos/core'
import type { DecideInput } from '../extend/extension.ts'
import { requireNotEnded } from '../gates/moment-guards.ts'
import type { SpaceRow } from '../rows/rows.ts'
import { type ArgumentForms, needed, ofText, TEXT } from './argument-forms.ts'
import type { Arguments } from './arguments.ts'
import { defineBuiltIn } from './define-built-in.ts'
import { endedByRules, rowAfter } from './ended-subscriptions.ts'

/** The rule gate reads the whole row each time. */
const CONTRIBUTORS_MAX = 256

const TAKES: ArgumentForms = { being: needed(TEXT, 'its stance', { parse: ofText(parseStance) }) }

const addContributor = defineBuiltIn({
  name: 'add-contributor',
  description:
    'Lets a being take part in the target space: make things and spaces in it, and what its rules say.',
  targets: ['space'],
  allow: ['owner', 'operator'],
  takes: TAKES,
  async decide(input, given) {
    const { space, being } = readContributor(input, given)
    const { contributors = [] } = space
    const row = await input.world.being(being)
    if (row === null) throw unknownBeing(being)
    requireNotEnded(row)
    if (contributors.includes(being))
      throw new TreeosError('RESOURCE_CONFLICT', `${stanceOf(being)} contributes to ${space.path} already`)
    if (contributors.length >= CONTRIBUTORS_MAX)
      throw new TreeosError(
        'RATE_LIMITED',
        `${space.path} has ${contributors.length} contributors, at most ${CONTRIBUTORS_MAX} are kept`,
      )
    return changed(space, 'space:contributor-added', being)
  },
})

const removeContributor = defineBuiltIn({
  name: 'remove-contributor',
  wordless: true,
  description: 'Ends a being’s part in the target space; what it made there stays.',
  targets: ['space'],
  allow: ['owner', 'operator'],
  takes: TAKES,
  async decide(input, given) {
    const { space, being } = readContributor(input, given)
    if (!space.contributors?.includes(being))
      throw new TreeosError('RESOURCE_CONFLICT', `${stanceOf(being)} does not contribute to ${space.path}`)
    const { facts, result } = changed(space, 'space:contributor-removed', being)
    const after = facts.reduce(rowAfter, space)
    return { facts: [...facts, ...(await endedByRules(input.world, after))], result }
  },
})

function readContributor({ target }: DecideInput, given: Arguments): { space: SpaceRow; being: BeingName } {
  const being = parseStance(given.text('being'))
  if (target.kind === 'space') return { space: target.space, being }
  throw new TreeosError('INVALID_TYPE', 'a being contributes to a space')
}

const changed = ({ path }: SpaceRow, kind: string, being: BeingName) => ({
  facts: [{ reel: spaceReel(path), kind, payload: { being } }],
  result: { path, being: stanceOf(being) },
})

export const contributorOperations = [addContributor, removeContributor] as const
