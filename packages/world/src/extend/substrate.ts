/**
 * Origin of what every reality begins with: its names have no prefix, and it alone writes the rows of the
 * world.
 */
export const SUBSTRATE_REGISTRY = 'seed'

/**
 * Names that belong to the substrate: no extension is called so, and no being owns such a namespace of
 * signals.
 */
export const SUBSTRATE_NAMES: readonly string[] =
  'approval being space matter thread role quality signal place speech world registry moments seed live permissions schedule subscription wake model tally shadow'.split(
    ' ',
  )

/** The local person who starts a reality: the one being without a maker. */
export const OPERATOR = 'operator'

/** The delegate that gives birth to beings for others; its role and its script have its name. */
export const BIRTHER = 'birther'

/** The delegate that writes roles, flows and signals for others; its role and its script have its name. */
export const ROLE_MANAGER = 'role-manager'

/** Beings that act for others: each has the name of its role and of its script. */
export const DELEGATES = [BIRTHER, ROLE_MANAGER] as const

/**
 * Role of a being that was born without one: it may look around its home and answer the being that woke it.
 */
export const DEFAULT_ROLE = 'resident'

/**
 * Role of a person's child that was born without one: a resident that can be configured from inside while a
 * person drives it.
 */
export const CITIZEN = 'citizen'
