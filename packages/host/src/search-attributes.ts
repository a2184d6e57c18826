import { setTimeout as sleep } from 'node:timers/promises'
import type { NativeConnection } from '@temporalio/worker'
import { SEARCH_ATTRIBUTES } from '@treeos/protocol'

/** What asks Temporal for search attributes. */
export type OperatorCalls = Pick<NativeConnection, 'operatorService' | 'workflowService'>

const KEYWORD = 2 // temporal.api.enums.v1.IndexedValueType
const VISIBLE_MS = 15_000 // the server rereads its namespaces every few seconds
const POLL_MS = 100
/** Statuses of gRPC by which Temporal Cloud and authorizers refuse calls of operators. */
const REFUSED: readonly unknown[] = [7, 12, 16] // PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED
const INVALID_ARGUMENT = 3

/**
 * Adds the search attributes that a namespace lacks.
 * @throws {Error} that names them where this caller may not, with the commands that add them;
 *   {TakenSearchAttributeError} where one has another type
 */
export async function addSearchAttributes(connection: OperatorCalls, namespace: string): Promise<void> {
  const names = await missingSearchAttributes(connection, namespace)
  if (names.length === 0) return
  const searchAttributes = Object.fromEntries(names.map((name) => [name, KEYWORD]))
  await connection.operatorService.addSearchAttributes({ namespace, searchAttributes }).catch((error) => {
    if (REFUSED.includes(searchAttributeErrorCode(error))) throw mayNotAdd(namespace, names, error)
    throw error
  })
  for (const until = Date.now() + VISIBLE_MS; Date.now() < until; await sleep(POLL_MS))
    if ((await missingSearchAttributes(connection, namespace)).length === 0) return
  throw new Error(
    `the search attributes ${names.join(', ')} were added to namespace ${namespace}, but are not listed after ${VISIBLE_MS / 1000} s`,
  )
}

function mayNotAdd(namespace: string, names: readonly string[], cause: unknown): Error {
  const flags = names.map((name) => `--name ${name} --type Keyword`).join(' ')
  const cloud = names.map((name) => `--search-attribute ${name}=Keyword`).join(' ')
  return new Error(
    `the search attributes ${names.join(', ')} are missing in namespace ${namespace}, and Temporal does not let this caller add them. ` +
      `Who may runs: temporal operator search-attribute create --namespace ${namespace} ${flags}. ` +
      `In Temporal Cloud: tcld namespace search-attributes add --namespace ${namespace} ${cloud}`,
    { cause },
  )
}

/** A namespace uses one of our names for something else: no being could start there. */
export class TakenSearchAttributeError extends Error {
  override readonly name = 'TakenSearchAttributeError'
  constructor(namespace: string, taken: readonly string[]) {
    super(
      `namespace ${namespace} of Temporal has ${taken.join(', ')} as a search attribute of another type: TreeOS needs it as a Keyword. ` +
        'Remove it there, or take another namespace',
    )
  }
}

/**
 * @returns which of ours a namespace lacks. Where nobody may list them, a query by each tells it, which
 *   callers of workflows may make.
 * @throws {TakenSearchAttributeError} where it has one as another type
 */
export async function missingSearchAttributes(
  { operatorService, workflowService }: OperatorCalls,
  namespace: string,
): Promise<string[]> {
  const wanted = SEARCH_ATTRIBUTES.map(({ name }) => name)
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace })
    const taken = wanted.filter((name) => (customAttributes?.[name] ?? KEYWORD) !== KEYWORD)
    if (taken.length > 0) throw new TakenSearchAttributeError(namespace, taken)
    return wanted.filter((name) => customAttributes?.[name] === undefined)
  } catch (error) {
    if (!REFUSED.includes(searchAttributeErrorCode(error))) throw error
  }
  const missing: string[] = []
  for (const name of wanted) {
    try {
      await workflowService.countWorkflowExecutions({ namespace, query: `${name} = 'none'` })
    } catch (error) {
      if (searchAttributeErrorCode(error) !== INVALID_ARGUMENT) throw error
      missing.push(name)
    }
  }
  return missing
}

const searchAttributeErrorCode = (error: unknown): unknown =>
  (error as { readonly code?: unknown } | null)?.code
