import { figure, fromSheet, type MarketMip } from '#shared/domain/simulations/pricing/tables/table.ts';

const SHEET = fromSheet('2025', 'Market bands of MIP (T1)');

export const table: MarketMip = {
  version: 'market-mip-2025',
  validFrom: '2025-01-01',
  bands: [
    { from: 18, to: 30, rate: figure('0.00929', SHEET) },
    { from: 31, to: 35, rate: figure('0.01159', SHEET) },
    { from: 36, to: 40, rate: figure('0.01536', SHEET) },
    { from: 41, to: 45, rate: figure('0.02519', SHEET) },
    { from: 46, to: 50, rate: figure('0.0386', SHEET) },
    { from: 51, to: 55, rate: figure('0.0676', SHEET) },
    { from: 56, to: 60, rate: figure('0.12638', SHEET) },
    { from: 61, to: 65, rate: figure('0.25065', SHEET) },
    { from: 66, to: 70, rate: figure('0.27511', SHEET) },
    { from: 71, to: 75, rate: figure('0.39351', SHEET) },
    { from: 76, to: 77, rate: figure('0.45716', SHEET) },
    { from: 78, to: 80, rate: figure('0.46892', SHEET) },
  ],
};
