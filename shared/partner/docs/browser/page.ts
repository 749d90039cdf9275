/** Starts everything that is interactive on a page of the guide. */
import { addCopyButtons } from './copy.ts';
import { addKeyField } from './sandbox-key.ts';
import { followReading } from './scroll-spy.ts';
import { listenToSearch } from './search-box.ts';
import { addTabs } from './tabs.ts';

addKeyField();
addCopyButtons();
addTabs();
followReading();
listenToSearch();
