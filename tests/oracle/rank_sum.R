# Recomputes what rank_sum.lua printed, from standard input: p of tied lists by exactRankTests, of
# others also by wilcox.test, of long ones by its normal approximation; intervals from all the ratios
# and R's own distribution of the statistic, of lists without ties also by wilcox.test.
options(warn = -1) # ties, and levels that short lists can't reach, are what is looked at here
suppressMessages(library(exactRankTests))

off <- 0
check <- function(name, line, got, expected) {
  same <- if (is.na(expected)) is.na(got) else
    !is.na(got) && abs(got - expected) <= 1e-9 * max(1, abs(expected))
  if (!same) {
    off <<- off + 1
    cat(sprintf("data set %d: %s is %.17g, by R %.17g\n", line, name, got, expected))
  }
}

doubled <- function(less, greater) min(1, 2 * min(less$p.value, greater$p.value))

exact_p <- function(x, y) {
  doubled(wilcox.exact(y, x, alternative = "less", exact = TRUE),
          wilcox.exact(y, x, alternative = "greater", exact = TRUE))
}

# The smallest rank whose tail is above 2.5 %: where that is the first, there is no interval.
interval <- function(x, y, method) {
  m <- length(x)
  n <- length(y)
  ratios <- sort(as.vector(outer(y, x, "/")))
  below <- if (method == "exact") function(k) pwilcox(k - 1, n, m) else
    function(k) pnorm((k - 0.5 - m * n / 2) / sqrt(m * n * (m + n + 1) / 12))
  k <- max(c(0, Filter(function(k) below(k) <= 0.025, 1:(m * n %/% 2))))
  if (k == 0) return(c(NA, NA, NA))
  c(ratios[k], ratios[m * n + 1 - k], 1 - 2 * below(k))
}

untied <- function(x, y, line, p, ratio, low, high) {
  reference <- wilcox.test(log(y), log(x), exact = TRUE, conf.int = TRUE)
  check("p without ties", line, p, reference$p.value)
  check("ratio without ties", line, ratio, exp(unname(reference$estimate)))
  if (!is.na(low)) {
    check("lower end without ties", line, low, exp(reference$conf.int[1]))
    check("upper end without ties", line, high, exp(reference$conf.int[2]))
  }
}

sets <- 0
tied <- 0
for (line in readLines(file("stdin"))) {
  sets <- sets + 1
  parts <- strsplit(line, "|", fixed = TRUE)[[1]]
  x <- as.numeric(strsplit(parts[1], " ")[[1]])
  y <- as.numeric(strsplit(parts[2], " ")[[1]])
  got <- as.numeric(parts)
  method <- parts[4]
  has_ties <- anyDuplicated(c(x, y)) > 0
  tied <- tied + has_ties
  check("p", sets, got[3], if (method == "exact") exact_p(x, y) else
    wilcox.test(y, x, exact = FALSE, correct = TRUE)$p.value)
  check("ratio", sets, got[5], exp(median(log(outer(y, x, "/")))))
  ends <- interval(x, y, method)
  check("lower end", sets, got[6], ends[1])
  check("upper end", sets, got[7], ends[2])
  check("coverage", sets, got[8], ends[3])
  if (!has_ties && method == "exact") untied(x, y, sets, got[3], got[5], got[6], got[7])
}
cat(sprintf("%d data sets, %d with ties, %d differences\n", sets, tied, off))
quit(status = if (off > 0 || sets < 200 || tied < 200) 1 else 0)
