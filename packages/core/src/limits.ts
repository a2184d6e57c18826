/**
 * Bounds at the edges. A larger value is refused with an error that names its size; nothing is cut silently.
 */
export const LIMITS = {
  /**
   * one summon, act, quality, signal or model answer, inline; an activity input of 2.2 MB ends a workflow for
   * good
   */
  contentBytesMax: 64 * 1024,
  /** the act of a person as its inbox takes it; Postgres refuses more */
  actBytesMax: 256 * 1024,
  /** nesting of any value a client or model sends; a flow of the greatest allowed depth still passes */
  contentDepthMax: 96,
  /** history holds a flow once per run */
  flowBytesMax: 16 * 1024,
  /** paths that one flow may read: history holds their slice for every moment */
  flowPathsMax: 64,
  /** a longer string counts as present but equals nothing, so that slices stay small */
  comparableBytesMax: 256,
  /** a flow with the digests of its roles: history holds it once per run */
  programBytesMax: 16 * 1024,
  /** history holds the heads that an act wrote */
  factsPerActMax: 64,
  /** reels on which one act is counted for dry-run rules: the first of them in their order */
  dryRunTalliesMax: 8,
  whenDepthMax: 32,
  whenNodesMax: 512,
  rolePromptBytesMax: 32 * 1024,
  /** `triggerOn` of one role: history holds it with each program */
  triggersBytesMax: 256,
  /** entries of one can* list, before expansion */
  canEntriesMax: 256,
  /** open entries of one inbox, besides notices; the next sender is refused with RATE_LIMITED */
  inboxLengthMax: 5000,
  /** of these, what is kept for the operator: other senders are refused earlier */
  inboxForOperator: 500,
  /** open entries of one inbox that one sender may have there; the operator may have more */
  inboxPerSenderMax: 1000,
  /** calls of one being that wait for a yes */
  asksPerBeingMax: 20,
  /** calls of all beings of one person that wait for a yes */
  asksPerPersonMax: 100,
  /** open notices in one inbox, each counting its equals; further ones are counted in one entry */
  noticesMax: 500,
  /** questions of one being, for one that it was asked, that are open */
  questionsMax: 16,
  /** the same, answered ones too: stops two beings of which one always asks again */
  questionsInAllMax: 64,
  /** depth of one cause chain: stops two beings that answer each other */
  hopsMax: 16,
  /** wakes in one cause chain, except those by change: stops a chain that branches */
  chainWakesMax: 1000,
  /** steps of one being for one question, or any other wake that began them, where its role does not say */
  stepsDefault: 16,
  /** the most steps that a role may allow */
  stepsMax: 200,
  /** addresses of one look */
  addressesMax: 8,
  /** calls of one answer that are queued behind its first one */
  readsMax: 7,
  /** calls in a row that gave the same, after which a being is told so */
  repeatsTold: 2,
  /** the same, after which it goes on no more */
  repeatsMax: 4,
  /** moments in a row in which a model may decide again after a refusal; each is a step */
  refusalsMax: 2,
  /** a lease that its driver does not renew ends after this; the sweep that ends it takes up to 10 s more */
  leaseSeconds: 20,
  qualityDepthMax: 8,
  qualityBytesMax: 64 * 1024,
} as const

export const CONTENT_BOUNDS = { depthMax: LIMITS.contentDepthMax, bytesMax: LIMITS.contentBytesMax } as const
/** Of content that somebody gave as JSON: a person, a model, a program. */
export const GIVEN_BOUNDS = { ...CONTENT_BOUNDS, isFromText: true } as const
