#!/bin/bash
# The statistics of comparisons against R's, which knows nothing of them.
oracle=$(realpath "$(dirname "$0")/../oracle")
. "$(dirname "$0")/helper.sh"
command -v Rscript >/dev/null || skip "there is no R: Debian's r-base-core"
Rscript -e 'library(exactRankTests)' >/dev/null 2>&1 ||
    skip "R lacks exactRankTests: Debian's r-cran-exactranktests"

it "has the p-values, ratios and intervals of R, on more than 200 data sets with ties"
run frlua "$oracle/rank_sum.lua"
status 0
cp .out sets
run Rscript "$oracle/rank_sum.R" <sets
status 0
output_has ' 0 differences'

it "is found out where a figure is off by 2e-9 of it"
awk -F '|' -v OFS='|' -v CONVFMT=%.17g -v OFMT=%.17g 'NR == 7 { $5 *= 1 + 2e-9 } 1' sets >off
run Rscript "$oracle/rank_sum.R" <off
status 1
output_has 'data set 7: ratio is '

finish
