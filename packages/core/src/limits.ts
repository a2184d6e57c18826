/** Bounds of every edge. Each is refused with the size named; none is ever cut silently. */
export const LIMITS = {
  /** one summon, act, quality, signal or model answer, inline; a 2.2 MB activity input ends a workflow for good */
  contentBytesMax: 64 * 1024,
  /** nesting of any value a client or model sends; a flow nested as deep as flows may be still passes */
  contentDepthMax: 96,
  /** a flow and its roles' digests travel through history once a run */
  flowBytesMax: 16 * 1024,
  /** paths one flow may read: the slice of them is in history every moment */
  flowPathsMax: 64,
  /** a string longer than this is present and equals nothing, so that slices stay small */
  comparableBytesMax: 256,
  /** a flow with the digests of its roles travels through history once a run */
  programBytesMax: 16 * 1024,
  /** the heads an act wrote are in history */
  factsPerActMax: 64,
  whenDepthMax: 32,
  whenNodesMax: 512,
  rolePromptBytesMax: 32 * 1024,
  /** entries of one can* list, before expansion */
  canEntriesMax: 256,
  /** open entries of one inbox; the next sender is refused with RATE_LIMITED */
  inboxLengthMax: 5000,
  /** with this many open entries an inbox takes no more notices of failures */
  noticesMax: 500,
  /** summons in one cause chain: what stops two beings from answering each other for ever */
  hopsMax: 64,
  /** wakes in one cause chain, those by change left out: what stops a chain that branches */
  chainWakesMax: 1000,
  /** self-continues of one being in one cause chain */
  selfContinuesMax: 16,
  /** a lease that its holder does not renew runs out after this; with the sweep that finds it, within 30 s */
  leaseSeconds: 20,
  qualityDepthMax: 8,
  qualityBytesMax: 64 * 1024,
} as const

export const CONTENT_BOUNDS = { depthMax: LIMITS.contentDepthMax, bytesMax: LIMITS.contentBytesMax } as const
