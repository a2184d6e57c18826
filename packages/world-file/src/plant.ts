import { act, type Connection } from '@treeos/client'
import { asJson, type BeingName, canonicalJson, type JsonObject, mendedBy, TreeosError } from '@treeos/core'
import { type Conflict, type Plan, requireStep, type Step } from './plan.ts'

/** A step that was done. */
interface PlantedStep extends Pick<Step, 'path'> {
  /** id of the moment that holds the act */
  readonly act: string | null
}

/**
 * Plants a plan, one act of the person after the other: each passes both gates as any act of that person
 * does, and leaves its facts. It ends at the first one that is refused or has to wait for a yes; planting
 * again goes on from there.
 * @param file its name, for errors
 * @throws {TreeosError} RESOURCE_CONFLICT before the first act, naming what differs and cannot be changed;
 *   the code of a refusal, naming the file and the path
 */
export async function plantWorld(
  at: Connection,
  as: BeingName,
  { steps, conflicts }: Plan,
  {
    file,
    onStep = () => undefined,
  }: { readonly file: string; readonly onStep?: (step: Step, n: number) => void },
): Promise<PlantedStep[]> {
  const [conflict] = conflicts
  if (conflict !== undefined)
    throw new TreeosError(
      'RESOURCE_CONFLICT',
      `${file}: ${conflictText(conflict)}${conflicts.length > 1 ? `, and ${conflicts.length - 1} more` : ''}; nothing was planted`,
      asJson({ conflicts }),
    )
  const checked = steps.map((step) => naming(file, step, [], () => requireStep(step)))
  const done: PlantedStep[] = []
  for (const [n, step] of checked.entries()) {
    onStep(step, n)
    const { act: id, waiting } = await act(at, as, step.call, undefined, undefined, step.outside).catch(
      (error: unknown) => {
        throw named(file, step, done, error)
      },
    )
    if (waiting !== undefined)
      throw new TreeosError(
        'RESOURCE_CONFLICT',
        `${file}: ${step.path}: it waits for a yes. Plant the file again after it`,
        asJson(
          mendedBy(
            { name: 'list-approvals' },
            asJson({ path: step.path, planted: done, waiting }) as JsonObject,
          ),
        ),
      )
    done.push({ path: step.path, act: id })
  }
  return done
}

const conflictText = ({ path, here, inFile }: Conflict): string =>
  `${path} is ${canonicalJson(here)} here and ${canonicalJson(inFile)} in the file, and no act changes that`

function naming<T>(file: string, step: Step, done: readonly PlantedStep[], run: () => T): T {
  try {
    return run()
  } catch (error) {
    throw named(file, step, done, error)
  }
}

function named(file: string, { path }: Step, planted: readonly PlantedStep[], error: unknown): unknown {
  if (!(error instanceof TreeosError)) return error
  const detail = asJson({ path, planted, ...(error.detail === undefined ? {} : { refused: error.detail }) })
  return new TreeosError(error.code, `${file}: ${path}: ${error.message}`, detail)
}
