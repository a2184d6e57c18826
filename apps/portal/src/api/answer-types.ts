/**
 * Answers of the API, and parts of them, whose shape the domain owns. `pnpm docs:clients` makes their JSON
 * schemas from these types, so each is a named type: of a mapped or inferred one the generator makes a wrong
 * schema.
 */
import type {
  AuthoringCatalog,
  CancelledCall,
  Catalogs,
  Chart,
  CheckpointedReport,
  ExplainedMoment,
  FlowInside,
  HealthView,
  HoldView,
  InspectedMoment,
  Lint,
  MadeCall,
  MomentStretch,
  PastEntries,
  PersonDataItem,
  ReachView,
  RecentActivity,
  RoleInside,
  RoleView,
  SearchResult,
  ShadowVerdict,
  SpaceView,
  SpendingReport,
  Surface,
  Surroundings,
  WhyNotRole,
  WokenBy,
} from '@treeos/client'
import type { Breach, OverlayRecord } from '@treeos/core'
import type { Envelope } from '@treeos/proofs'
import type { Difference, JudgedMoment } from '@treeos/replay/what-if'
import type { WhyNotAllowed } from '@treeos/replay/why-not'
import type { OverlayChange } from '@treeos/store'
import type { TrialEstimate } from '@treeos/trials/forms'

/** All that is recorded of one moment, and how long each part of it took. */
export interface MomentPage extends InspectedMoment {
  readonly beats: readonly MomentStretch[]
  readonly temporalUi: string | null
  readonly mayAskOfActs: boolean
}

export interface SaltedOverlayChange extends OverlayChange {
  /** null where the overlay was taken away */
  readonly salt: string | null
}

export interface AnswerTypes {
  readonly AuthoringCatalog: AuthoringCatalog
  readonly Breach: Breach
  readonly CancelledCall: CancelledCall
  readonly Catalogs: Catalogs
  readonly Chart: Chart
  readonly CheckpointedReport: CheckpointedReport
  readonly Difference: Difference
  readonly Envelope: Envelope
  readonly ExplainedMoment: ExplainedMoment
  readonly FlowInside: FlowInside
  readonly HealthView: HealthView
  readonly HoldView: HoldView
  readonly RecentActivity: RecentActivity
  readonly JudgedMoment: JudgedMoment
  readonly Lint: Lint
  readonly MadeCall: MadeCall
  readonly MomentPage: MomentPage
  readonly OverlayChange: OverlayChange
  readonly OverlayRecord: OverlayRecord
  readonly PastEntries: PastEntries
  readonly PersonDataItem: PersonDataItem
  readonly ReachView: ReachView
  readonly RoleInside: RoleInside
  readonly RoleView: RoleView
  readonly SaltedOverlayChange: SaltedOverlayChange
  readonly SearchResult: SearchResult
  readonly ShadowVerdict: ShadowVerdict
  readonly SpaceView: SpaceView
  readonly SpendingReport: SpendingReport
  readonly Surface: Surface
  readonly Surroundings: Surroundings
  readonly TrialEstimate: TrialEstimate
  readonly WhyNotAllowed: WhyNotAllowed
  readonly WhyNotRole: WhyNotRole
  readonly WokenBy: WokenBy
}
