import type { JsonObject } from '@treeos/core'
import type { Operation } from '@treeos/world'
import { defineOperation, type OperationInput } from './define-operation.ts'

/** An operation by which a being calls a workflow of the host. */
export interface CallInput<Name extends string, Args extends JsonObject>
  extends Pick<
    OperationInput<Name, 'being', Args, JsonObject>,
    'name' | 'description' | 'ask' | 'args' | 'about'
  > {
  /** type of the workflow; it gets one argument, a `CalledInput` */
  readonly workflow: string
  /** where its workers poll; left out: where the beings' do */
  readonly taskQueue?: string
  /**
   * stance of the person in whose name it answers, as in `@orders`: the being must be able to summon it, and
   * its quality `wake.workflows` must be true
   */
  readonly answeredBy: string
}

/** What a called workflow gets. */
export interface CalledInput<Args extends JsonObject = JsonObject> {
  readonly args: Args
  /** the call: whose it is, in which moment, in which thread; `key` is its idempotency key */
  readonly call: {
    readonly reality: string
    readonly being: string
    readonly moment: string
    readonly thread: string
    /** of the moment's span, for traces: W3C Trace Context */
    readonly traceparent: string
    readonly key: string
  }
}

/**
 * Defines an operation of a being on itself that calls a workflow of the host. Its act tells `answeredBy` the
 * arguments, like any summon, and then the workflow starts. However long it runs, its result comes to the being
 * as the answer of that person, in the same thread, and whoever asked the being is still owed an answer. The
 * workflow is cancelled once nothing is to come of the call, as when the thread is cut.
 * @example
 * const ship = defineCall({
 *   name: 'orders:ship',
 *   description: 'Has an order shipped. The answer comes when it has arrived.',
 *   workflow: 'shipOrder',
 *   answeredBy: '@orders',
 *   args: z.strictObject({ order: z.string().describe('its number') }),
 * })
 */
export function defineCall<const Name extends string, Args extends JsonObject = Record<string, never>>({
  workflow,
  taskQueue,
  answeredBy,
  ...input
}: CallInput<Name, Args>): Operation<Name> {
  return defineOperation<Name, 'being', Args, JsonObject>({
    ...input,
    on: 'being',
    allow: ['self'],
    // What it would be told by the call would count as the answer.
    allowIf: ({ wake }) =>
      wake.from === null ||
      wake.inReplyTo !== null ||
      `@${wake.from}` !== answeredBy ||
      `${answeredBy} asks, in whose name ${workflow} answers: let another person ask`,
    effect: {
      timeoutSeconds: 10,
      attempts: 3,
      starts: { workflow, ...(taskQueue === undefined ? {} : { taskQueue }) },
      perform: async () => ({ workflow }), // it starts once the act is recorded
    },
    decide: ({ args }) => ({
      facts: [],
      tell: { target: answeredBy, content: { workflow, args } },
      result: { workflow, answeredBy },
      rests: true,
    }),
  })
}
