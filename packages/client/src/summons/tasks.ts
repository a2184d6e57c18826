import {
  type BeingName,
  isJsonObject,
  type Json,
  type JsonObject,
  parseCall,
  quote,
  TreeosError,
} from '@treeos/core'
import type { Overlay } from '@treeos/overlay'
import type { Signature } from '@treeos/signature'
import { putOverlay } from '../overlays/thread-overlays.ts'
import { type ActResult, act } from './act.ts'
import type { Connection } from './connection.ts'

/** How long a skill or a task is waited for unless said. */
const TASK_WAIT_SECONDS = 120

/** What a call of a skill or a task may bring for its model calls. */
interface OverlayOptions {
  /** text for the model calls of this act; only an opaque handle of it is recorded */
  readonly overlay?: Overlay | undefined
  /** the handle of an overlay that was left before, instead of its text */
  readonly handle?: string | undefined
  readonly waitSeconds?: number | undefined
  /** as of a {@link SummonRequest} */
  readonly outside?: boolean | undefined
}

export interface InvokeRequest extends OverlayOptions {
  readonly as: BeingName
  readonly operation: string
  /** stance, path or address; left out, where the being is or the being itself */
  readonly target?: string | undefined
  readonly args: JsonObject
}

/**
 * Invokes a skill as a person, or does any other operation: an act like any other, which passes both gates.
 * @returns what `act` returns; and the salt of the overlay, which proves with the text that a recorded
 *   commitment is of it
 * @throws {TreeosError} as `act`; INVALID_INPUT for an overlay to an operation that is neither a skill nor a
 *   task
 */
export async function invoke(
  at: Connection,
  { as, operation, target, args, overlay, handle, waitSeconds, outside }: InvokeRequest,
): Promise<ActResult & { readonly salt?: string }> {
  const left = overlay === undefined ? null : await putOverlay(at, { use: 'call', of: as }, overlay)
  const named = left?.handle ?? handle
  const call = parseCall({
    verb: 'do',
    operation,
    target: target ?? null,
    args,
    ...(named === undefined ? {} : { overlay: named }),
  })
  const callsModel = at.registry.operations.get(operation)?.entry !== undefined
  const waits = waitSeconds ?? (callsModel ? TASK_WAIT_SECONDS : undefined)
  const done = await act(at, as, call, waits, undefined, outside)
  return left === null ? done : { ...done, salt: left.salt }
}

/** A shape of tasks: what `defineTask` returns. */
interface Shape<Inputs, Outputs> {
  readonly name: string
  readonly entry: Signature<Inputs, Outputs>
}

export interface TaskRequest<Inputs> extends OverlayOptions, Pick<InvokeRequest, 'as' | 'target'> {
  readonly inputs: Inputs
}

export interface TaskResult<Outputs> {
  readonly outputs: Outputs
  /** the moment that dispatched it */
  readonly moment: string
  /** proves, with the text, that a recorded commitment is of this overlay; left out without one */
  readonly salt?: string
}

/**
 * Dispatches a task as a person: an act like any other, which passes both gates. A child workflow of the
 * person's being calls the model, and the outputs are recorded.
 * @param shape what `defineTask` returned, or the name of one that an extension brings
 * @throws {TreeosError} ACTION_NOT_SUPPORTED for a name that no shape has; INVALID_INPUT for inputs that do
 *   not fit; the code of a refusal or a failure
 */
export async function task<Inputs, Outputs>(
  at: Connection,
  shape: Shape<Inputs, Outputs> | string,
  request: TaskRequest<Inputs>,
): Promise<TaskResult<Outputs>> {
  const { name, entry } =
    typeof shape === 'string'
      ? (shapeOf(at, shape) as Shape<Inputs, Outputs>)
      : shapeOf(at, shape.name, shape)
  const { inputs } = await entry.fill(request.inputs) // before an overlay is left for it
  if (!isJsonObject(inputs)) throw new Error(`the inputs of ${name} are not an object`)
  const { inputs: _, ...rest } = request
  const { act: moment, result, salt, waiting } = await invoke(at, { ...rest, operation: name, args: inputs })
  if (waiting !== undefined)
    throw new TreeosError('FORBIDDEN', `the task ${name} waits for a yes: nothing was done`, { waiting })
  if (moment === null) throw new Error(`the task ${name} has no moment`)
  const outputs = await entry.readOutputs(result as Json)
  return { outputs, moment, ...(salt === undefined ? {} : { salt }) }
}

function shapeOf<Inputs, Outputs>(
  { registry }: Connection,
  name: string,
  shape?: Shape<Inputs, Outputs>,
): Shape<Inputs, Outputs> {
  const entry = registry.shapes.get(name)
  if (entry !== undefined) return shape ?? { name, entry: entry as Signature<Inputs, Outputs> }
  const known = [...registry.shapes.keys()].sort().join(', ')
  throw new TreeosError(
    'ACTION_NOT_SUPPORTED',
    `no shape of a task has the name ${quote(name)}; the shapes are ${known === '' ? 'none' : known}`,
  )
}
