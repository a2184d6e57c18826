import type { FunctionTime } from '../profile.ts'
import type { StatementCount } from '../statements.ts'

/** Settings of a contestant's process. */
export interface Setup {
  readonly contestant: string
  readonly databaseUrl: string
  /** the same database, as workers of TreeOS log in: Postgres checks what they write */
  readonly workerUrl: string
  /**
   * environment variables with the address of Temporal and the path of its configuration file; they hold no
   * key
   */
  readonly temporal: Record<string, string>
  /** base URL of the model stub, with /v1 */
  readonly modelUrl: string
  /** every being that will have turns */
  readonly beings: readonly string[]
  readonly poolMax: number
  /** name of the reality to create, for TreeOS */
  readonly reality: string
}

export type ToContestant =
  /** runs one turn; only for contestants whose turns are called */
  | { readonly type: 'turn'; readonly being: string; readonly n: number; readonly content: string }
  | { readonly type: 'count' }
  | { readonly type: 'profile' }
  | { readonly type: 'profiled' }
  | { readonly type: 'stop' }

export type FromContestant =
  /** @property taskQueue of contestants whose turns start with a signal */
  | { readonly type: 'ready'; readonly taskQueue: string | null }
  /** reports that the durable record of this turn is committed */
  | { readonly type: 'done'; readonly being: string; readonly n: number }
  | { readonly type: 'counted'; readonly statements: readonly StatementCount[] }
  | { readonly type: 'profiling' }
  | { readonly type: 'profiled'; readonly functions: readonly FunctionTime[] }
  | { readonly type: 'failed'; readonly message: string }

export type FromStub =
  | { readonly type: 'listening'; readonly url: string }
  | { readonly type: 'asked'; readonly calls: number; readonly bytes: number }
