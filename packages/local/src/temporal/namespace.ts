import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection, ConnectionOptions } from '@temporalio/client'
import { LocalError, messageOf } from '../machine/error.ts'
import { connectTemporal } from './connect.ts'

const KEYWORD = 2 // temporal.api.enums.v1.IndexedValueType
const CALL_MS = 5_000
const VISIBLE_MS = 15_000 // the server rereads its namespaces every few seconds

/** A connection for the time of `use`. Fails within a few seconds when nothing answers. */
export async function withConnection<T>(
  options: ConnectionOptions,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connectTemporal({ connectTimeout: CALL_MS, ...options })
  try {
    return await connection.withDeadline(Date.now() + CALL_MS + VISIBLE_MS, () => use(connection))
  } finally {
    await connection.close()
  }
}

interface NamespaceSettings {
  namespace: string
  searchAttributes: readonly string[]
  /** The least time for which closed workflows are kept; left as it is when not given. */
  retentionDays?: number
}

/**
 * Checks that the namespace has what we need, and adds what is missing.
 * @throws LocalError with what is missing and the command that adds it
 */
export async function prepareNamespace(
  connection: Pick<Connection, 'operatorService' | 'workflowService'>,
  wanted: NamespaceSettings,
): Promise<void> {
  const { namespace, searchAttributes, retentionDays } = wanted
  const { config } = await connection.workflowService
    .describeNamespace({ namespace })
    .catch((error: unknown) => {
      if (!messageOf(error).includes('not found')) throw error
      const command = `temporal operator namespace create --namespace ${namespace} --retention 2160h`
      throw new LocalError(`Temporal has no namespace ${namespace}. Make it: ${command}`, { cause: error })
    })
  const seconds = (retentionDays ?? 0) * 86_400
  if (Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) < seconds) {
    const { google } = (await import('@temporalio/proto')).default
    const retention = { workflowExecutionRetentionTtl: google.protobuf.Duration.fromObject({ seconds }) }
    await connection.workflowService.updateNamespace({ namespace, config: retention })
  }
  if (searchAttributes.length > 0) await addSearchAttributes(connection, namespace, searchAttributes)
}

async function addSearchAttributes(
  connection: Pick<Connection, 'operatorService' | 'workflowService'>,
  namespace: string,
  wanted: readonly string[],
): Promise<void> {
  const missing = () => missingSearchAttributes(connection, namespace, wanted)
  let names = wanted
  try {
    names = await missing()
    if (names.length === 0) return
    const searchAttributes = Object.fromEntries(names.map((name) => [name, KEYWORD]))
    await connection.operatorService.addSearchAttributes({ namespace, searchAttributes })
    for (const until = Date.now() + VISIBLE_MS; (await missing()).length > 0; await sleep(100)) {
      if (Date.now() > until)
        throw new LocalError(`they were added, but are not listed after ${VISIBLE_MS / 1000} s`)
    }
  } catch (error) {
    const flags = names.map((name) => `--name ${name} --type Keyword`).join(' ')
    const cloud = names.map((name) => `--search-attribute ${name}=Keyword`).join(' ')
    throw new LocalError(
      `the search attributes ${names.join(', ')} are needed in namespace ${namespace}: ${messageOf(error)}. ` +
        `Add what is missing: temporal operator search-attribute create --namespace ${namespace} ${flags}. ` +
        `In Temporal Cloud: tcld namespace search-attributes add --namespace ${namespace} ${cloud}`,
      { cause: error },
    )
  }
}

/** Statuses of gRPC by which Temporal Cloud and authorizers refuse calls of operators. */
const REFUSED: readonly unknown[] = [7, 12, 16] // PERMISSION_DENIED, UNIMPLEMENTED, UNAUTHENTICATED
const INVALID_ARGUMENT = 3

/**
 * @returns which of the names a namespace lacks. Where nobody may list them, a query by each tells it, which
 *   callers of workflows may make.
 */
async function missingSearchAttributes(
  { operatorService, workflowService }: Pick<Connection, 'operatorService' | 'workflowService'>,
  namespace: string,
  wanted: readonly string[],
): Promise<string[]> {
  try {
    const { customAttributes } = await operatorService.listSearchAttributes({ namespace })
    for (const name of wanted) {
      const type = customAttributes?.[name] ?? KEYWORD
      if (type !== KEYWORD)
        throw new LocalError(`search attribute ${name} of namespace ${namespace} is not a Keyword`)
    }
    return wanted.filter((name) => customAttributes?.[name] === undefined)
  } catch (error) {
    if (!REFUSED.includes(namespaceErrorCode(error))) throw error
  }
  const missing: string[] = []
  for (const name of wanted) {
    try {
      await workflowService.countWorkflowExecutions({ namespace, query: `${name} = 'none'` })
    } catch (error) {
      if (namespaceErrorCode(error) !== INVALID_ARGUMENT) throw error
      missing.push(name)
    }
  }
  return missing
}

const namespaceErrorCode = (error: unknown): unknown => (error as { readonly code?: unknown } | null)?.code
