import type { BeingName, Json, JsonObject, MomentId, TreeosError } from '@treeos/core'
import type { Envelope } from '@treeos/proofs'
import type { PreparedTrial, Trial } from '@treeos/trials/forms'

/**
 * What the program that serves the portal does for it: it knows the packages of replay and the processes of
 * this machine. The portal decides who may ask.
 */
export interface Machine {
  /** Runs every moment of these beings again, and compares with the record, as `treeos replay` does. */
  replay(request: ReplayAsked): Promise<ReplayComparison>
  /** What runs and how well, as `treeos status` and `treeos doctor` know it. */
  health(): Promise<MachineHealth>
  /** The newest signed checkpoint of the log; null where there is none. It may be a second old. */
  checkpoint(): Promise<SignedCheckpointNote | null>
  /** The newest one that a quorum of outside witnesses cosigned, likewise; null where there is none. */
  cosigned(): Promise<SignedCheckpointNote | null>
  /**
   * Signed receipts of finished moments, in their order; for one that called nothing the refusal.
   * @throws {TreeosError} ACTION_NOT_SUPPORTED where nobody signs
   */
  receipts(moments: readonly MomentId[]): Promise<(Envelope | TreeosError)[]>
  /** Past moments asked again, as `treeos trial` does. */
  readonly trials: Trials
  readonly tools: ToolServers
  /** The extensions that its workers load. */
  extensions(): Promise<readonly JsonObject[]>
  /** The currency of its list of prices, by ISO 4217; null where the list cannot be read here. */
  currency(): string | null
  /** The numbers of the reality, in OpenMetrics. */
  metrics(): Promise<{ readonly contentType: string; readonly text: string }>
}

interface Trials {
  /** calls of models that trials of one person make within an hour */
  readonly callsPerHour: number
  /** names of the models that the operator named, `default` for that of the reality */
  models(): Promise<readonly string[]>
  /** @throws {TreeosError} MOMENT_NOT_FOUND; LLM_NOT_CONFIGURED */
  prepare(trial: Trial): Promise<PreparedTrial>
}

/** Puts into the record what is accepted of the tools of a server, as an act of who asks. */
export type RecordAccepted = (accepted: {
  readonly server: string
  /** digests of their declarations by name */
  readonly tools: Readonly<Record<string, string>>
  /** those that only read */
  readonly reads: readonly string[]
}) => Promise<void>

/** Outside MCP servers, as `treeos tools` names and accepts them. All but `list` and `check` start the workers again. */
export interface ToolServers {
  list(): Promise<readonly ToolServerView[]>
  /** @param server null: all */
  check(server: string | null): Promise<readonly ToolServerCheck[]>
  add(server: string, given: object, record: RecordAccepted): Promise<KeptToolServer>
  /** @param named `SERVER`, or `SERVER:TOOL` */
  accept(named: string, record: RecordAccepted): Promise<KeptToolServer>
  remove(server: string, record: RecordAccepted): Promise<void>
}

export interface ToolServerView {
  readonly server: string
  /** its command or its address */
  readonly at: string
  /** names of those that it gets */
  readonly secrets: readonly string[]
  /** who is asked before a call of a tool that is no read; null: nobody */
  readonly ask: JsonObject | null
  /** by name; accepted is null where Postgres does not answer */
  readonly tools: Record<
    string,
    { readonly digest: string; readonly accepted: boolean | null; readonly read: boolean }
  >
}

/** A server whose tools are in the file. */
export interface KeptToolServer {
  readonly server: string
  /** whether the record holds their digests; false while no worker runs */
  readonly accepted: boolean
  /** digests by the name of the tool */
  readonly tools: Record<string, string>
  /** those that only read */
  readonly reads: readonly string[]
  /** who was asked before its calls until now, and is asked no longer; left out where nobody was, or somebody is */
  readonly askedBefore?: readonly string[]
}

/** A server whose tools were compared with what was accepted. */
export interface ToolServerCheck {
  readonly server: string
  readonly changes: readonly {
    readonly tool: string
    readonly part: string
    readonly accepted: string | null
    readonly now: string | null
  }[]
  /** tools that cannot be used, with the reason */
  readonly leftOut: Record<string, string>
  /** why it could not be asked; null when it was */
  readonly fault: string | null
}

export interface SignedCheckpointNote {
  /** number of entries of the log that it covers */
  readonly size: number
  /** the signed note */
  readonly note: string
}

export interface MachineHealth {
  readonly services: readonly ServiceHealth[]
  readonly mind: Mind | null
  /** the models by the names that beings have in `llm.connection` */
  readonly connections: Readonly<Record<string, Mind>>
  /** since the running workers started; null when none of them answers */
  readonly moments: {
    readonly act: number
    readonly see: number
    readonly failure: number
    readonly skipped: number
  } | null
  readonly models: {
    readonly calls: number
    readonly failures: number
    readonly lost: number
    readonly promptTokens: number
    readonly completionTokens: number
  } | null
  readonly slowestBeat: {
    readonly name: string
    readonly meanSeconds: number
    readonly p95Seconds: number
  } | null
  readonly checks: readonly HealthCheck[]
}

export interface ServiceHealth {
  readonly name: string
  /** null where it is not a process of this instance */
  readonly pid: number | null
  readonly address: string | null
  readonly runs: boolean
}

export interface Mind {
  readonly model: string
  readonly baseUrl: string
}

export interface HealthCheck {
  readonly name: string
  readonly ok: boolean
  readonly found: string
  /** what repairs it; null when nothing is wrong */
  readonly mend: string | null
  /** the rest of TreeOS works without it */
  readonly optional?: true
}

export interface ReplayAsked {
  /** null: all */
  readonly beings: readonly BeingName[] | null
  readonly signal: AbortSignal
  readonly onProgress: (line: string) => void
}

export interface ReplayComparison {
  readonly beings: number
  readonly moments: number
  readonly identical: boolean
  readonly mismatches: readonly Disagreement[]
  /** moments whose prompt an older version wrote, so that its text was not compared */
  readonly olderPrompts?: number
}

/** A value of the record that was found otherwise. */
export interface Disagreement {
  readonly being: BeingName
  readonly n: number
  readonly field: string
  readonly recorded: Json
  /** null for a replay that found no difference there */
  readonly chain: Json
  readonly temporal: Json
}
