import * as fc from 'fast-check';

// That a mutant fails is all that its score asks: the smallest case at which it does is not looked for.
fc.configureGlobal({ endOnFailure: true });
