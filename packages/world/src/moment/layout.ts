/**
 * Version of what a moment shows and of the form of its prompt: the views of the substrate, their bounds, and the parts of the
 * prompt. It is recorded with each moment. Raise it with every change of these, so that replay does not compare the prompt of an
 * older moment with one of another form.
 */
export const PROMPT_LAYOUT = 1
