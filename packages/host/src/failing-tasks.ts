import { type Client, isGrpcServiceError } from '@temporalio/client'
import { REALITY } from '@treeos/protocol'

/** A run whose workflow tasks failed several times in a row. Nothing that waits for it happens. */
export interface FailingRun {
  readonly workflowId: string
  /** as Temporal words it, such as `WorkflowTaskFailedCauseNonDeterministicError` */
  readonly causes: readonly string[]
}

const PROBLEMS = 'TemporalReportedProblems'
const CAUSE = 'cause='
const INVALID_ARGUMENT = 3 // of gRPC
/** More than anybody reads. */
const READ_MAX = 1000

/**
 * Runs of a reality that its workers cannot go on with, as Temporal's server notices it.
 * @returns null for a server that does not tell, which is one before 1.30
 */
export async function listFailingRuns(
  temporal: Pick<Client, 'workflow'>,
  reality: string,
): Promise<FailingRun[] | null> {
  const found: FailingRun[] = []
  const query = `${REALITY.name} = '${reality}' AND ExecutionStatus = 'Running' AND ${PROBLEMS} IS NOT NULL`
  try {
    for await (const { workflowId, searchAttributes } of temporal.workflow.list({ query })) {
      const told = (searchAttributes[PROBLEMS] ?? []).map(String)
      const causes = told.filter((one) => one.startsWith(CAUSE)).map((one) => one.slice(CAUSE.length))
      found.push({ workflowId, causes })
      if (found.length === READ_MAX) break
    }
  } catch (error) {
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    if (isGrpcServiceError(cause) && cause.code === INVALID_ARGUMENT) return null
    throw error
  }
  return found
}
