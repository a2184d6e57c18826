import type { SubstrateOperation } from '../src/index.ts'
import type { World } from './authority-play.ts'

/** Whether an operation that anyone could do would take a being beyond its makers; where not, why not. */
const WOULD_TAKE_BEYOND: Readonly<Record<SubstrateOperation, true | string>> = {
  'create-space': true,
  'set-space': true,
  'add-contributor': true,
  'remove-contributor': 'it takes a part away',
  'set-size': 'a size gives nobody a right',
  'set-being': true,
  'set-roleflow': true,
  'set-default-role': true,
  'pause-being': true,
  'resume-being': 'it gives back a life that was paused, and no right',
  'end-being': true,
  move: 'anyone may: it asks for sight itself',
  'create-matter': true,
  'keep-file': 'the thing that it makes is in its own hands',
  'set-matter': true,
  'write-matter': true,
  take: 'whoever holds a thing may do no more with it than its owner lets it',
  put: 'anyone may: it asks for the thing in hand itself',
  'end-matter': 'the mole has no list that holds it',
  'set-world-signal': 'anyone may: it asks whose the namespace is itself',
  'grant-namespace': 'anyone may: it asks whose the namespace is itself',
  'revoke-namespace': 'anyone may: it asks whose the namespace is itself',
  'set-schedule': 'it wakes, and gives no right',
  'delete-schedule': 'it wakes no more',
  subscribe: 'it asks for the sight of the subscriber itself',
  unsubscribe: 'it wakes no more',
  'set-role': 'anyone may: it asks for reach itself',
  'delete-role': 'anyone may: it asks for standing itself',
  mediate: 'it does what the asker could do',
  'set-budget': 'budgets bound what is used up, and no right',
  'unpark-being': 'budgets bound what is used up, and no right',
  'cut-thread': 'anyone may: it asks for a part itself',
  erase: 'it asks for the operator in person itself',
  approve: 'it asks for a person who is asked itself',
  deny: 'it asks for a person who is asked itself',
  vouch: 'it asks for a person itself',
  'accept-difference': 'it asks for a person itself, and gives no right',
  'set-hold': 'it asks for the operator in person itself',
  'lift-hold': 'it asks for the operator in person itself',
}

/** Controls open one at a time: a property that holds all the same sees nothing. */
export const GUARDED = (Object.keys(WOULD_TAKE_BEYOND) as SubstrateOperation[]).filter(
  (name) => WOULD_TAKE_BEYOND[name] === true,
)

/** The code with another operation in the place of one. */
export function replacing(
  code: World,
  name: string,
  change: (operation: World['seed']['operations'][number]) => Partial<World['seed']['operations'][number]>,
): World {
  const { seed } = code
  if (!seed.operations.some((one) => one.name === name)) throw new Error(`there is no operation ${name}`)
  const operations = seed.operations.map((one) => (one.name === name ? { ...one, ...change(one) } : one))
  return { ...code, seed: { ...seed, operations } }
}

/** The code in which anyone may do an operation. */
export const opened = (code: World, name: SubstrateOperation): World =>
  replacing(code, name, () => ({ allow: ['anyone'] }))
