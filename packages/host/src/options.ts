import type { DataConverter } from '@temporalio/common'
import type { Embedder, Model, Observer } from '@treeos/activities'
import type { FileBounds } from '@treeos/core'
import type { OverlayMode } from '@treeos/overlay'
import type { ListenOptions } from '@treeos/overlay/vault'
import type { Extension } from '@treeos/world'
import type { MetricsPlace } from './metrics.ts'

export interface TreeosOptions {
  /** extensions that the worker loads */
  readonly extensions?: readonly Extension[] | undefined
  /** Postgres URL; required for a worker, not for a client or a replay */
  readonly databaseUrl?: string | undefined
  /** how payloads are converted, where the worker or client itself does not say; default plain JSON */
  readonly dataConverter?: DataConverter | undefined
  /** null or left out: moments of LLM beings fail with LLM_NOT_CONFIGURED */
  readonly model?: Model | null | undefined
  /** models by the names that beings have in their quality `llm.connection` */
  readonly connections?: ReadonlyMap<string, Model> | undefined
  /** makes the vectors by which notes are searched; null or left out: they are searched by words alone */
  readonly embedder?: Embedder | null | undefined
  /** hosts, or host:port, with private addresses that effects may reach; default none */
  readonly privateHosts?: readonly string[] | undefined
  /**
   * the program `bwrap` (bubblewrap) of this machine, in which effects run commands; null or left out: they
   * run none
   */
  readonly sandbox?: string | null | undefined
  /** how much is kept of the files that effects bring; each bound has a default */
  readonly fileBounds?: Partial<FileBounds> | undefined
  /** the value of a secret by its name, for effects that name it; left out: there are none */
  readonly secret?: ((name: string) => string | null) | undefined
  /**
   * folder that archives the histories of closed runs; null or left out: they are lost after Temporal's
   * retention period
   */
  readonly histories?: string | null | undefined
  /**
   * seconds after which Temporal need not keep a closed run that is archived in `histories`; left out:
   * Temporal keeps it for its retention period. Name it only if all workers of the reality archive to the
   * same folder.
   */
  readonly keepRunsSeconds?: number | undefined
  /** most connections of the worker's Postgres pool; default 20 */
  readonly poolMax?: number | undefined
  /**
   * Postgres URL of a login that is a member of `treeos_signals`: persons may then act by the signal `act`,
   * as from Temporal's UI; null or left out: they may not. Whoever reaches Temporal, and whoever takes over
   * the worker, may then act as the first operator.
   */
  readonly signalsUrl?: string | null | undefined
  /**
   * longest time in ms of a mind that decides within the workflow task of its moment; default 4000. A slower
   * one decides in an activity of its own; 0: every mind does.
   */
  readonly shortMindMs?: number | undefined
  /**
   * where the worker keeps overlays, with the key that it shares with the clients and other workers of its
   * instance; without it no call can have an overlay
   */
  readonly vault?: ListenOptions | null | undefined
  /** what becomes of several overlays of one call; default `block`: the highest tier alone counts */
  readonly overlayMode?: OverlayMode | undefined
  /**
   * for so many seconds a moment waits for a worker with its code where none lives, then it fails with
   * ROLE_UNAVAILABLE; default a day
   */
  readonly codeWaitSeconds?: number | undefined
  /**
   * where `/ready` (200 while the worker takes moments, else 503) and `/metrics` for Prometheus are served
   * while it runs; left out: nowhere. A worker of several realities needs a port for each.
   */
  readonly metrics?: MetricsPlace | undefined
  /** receives what the worker does, in names and numbers, for metrics and logs */
  readonly observe?: Partial<Observer> | undefined
}
