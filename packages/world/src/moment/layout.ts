/**
 * Version of what a moment shows and of the form of its prompt: the views of the substrate, their bounds, and the parts of the
 * prompt. It is recorded with each moment. Raise it with every change of these, so that replay does not compare the prompt of an
 * older moment with one of another form.
 * - 1: no views of the substrate; `[Time]` in UTC; nothing says who speaks
 * - 2: the views of the substrate, `[Wake]`, `[Time]` in the reality's zone, data that cannot imitate a part
 */
export const PROMPT_LAYOUT = 2

/** From this layout on a model sees the default views. */
export const LAYOUT_WITH_VIEWS = 2
