from .agreement import (
    COHEN_KAPPA as COHEN_KAPPA,
    GWET_AC1 as GWET_AC1,
    Agreement as Agreement,
    Kappa as Kappa,
    agreement_measures as agreement_measures,
    cohen_kappa as cohen_kappa,
    gwet_ac1 as gwet_ac1,
    phi_of as phi_of,
)
from .alternative_annotator import (
    ALT_TEST as ALT_TEST,
    AltTest as AltTest,
    alternative_annotator_test as alternative_annotator_test,
)
from .betting import BETTING as BETTING, bounded_mean_interval as bounded_mean_interval
from .clusters import (
    CLUSTER_T as CLUSTER_T,
    FEWEST_CLUSTERS as FEWEST_CLUSTERS,
    KORN_GRAUBARD as KORN_GRAUBARD,
    ClusteredMean as ClusteredMean,
    ClusteredRate as ClusteredRate,
    cluster_robust_mean_interval as cluster_robust_mean_interval,
    clustered_rate_interval as clustered_rate_interval,
    decide_clustered_rate as decide_clustered_rate,
)
from .families import (
    COUNT as COUNT,
    FamilyMean as FamilyMean,
    WorstMember as WorstMember,
    mean_change as mean_change,
    number_of_cases as number_of_cases,
    share_of_cases as share_of_cases,
    worst_member as worst_member,
)
from .family_values import (
    Answers as Answers,
    Passes as Passes,
    Span as Span,
    accuracy_span as accuracy_span,
    changed_span as changed_span,
    difference_span as difference_span,
    flaky_span as flaky_span,
    flip_span as flip_span,
    is_flaky as is_flaky,
    mean_span as mean_span,
    pass_at_span as pass_at_span,
    pass_hat_span as pass_hat_span,
    unrest_span as unrest_span,
)
from .gates import (
    MOST_UNMATCHED as MOST_UNMATCHED,
    POINT_ESTIMATE as POINT_ESTIMATE,
    SMALLEST_SLICE as SMALLEST_SLICE,
    GateCounts as GateCounts,
    Goal as Goal,
    OpenInterval as OpenInterval,
    State as State,
    decide as decide,
    decide_difference as decide_difference,
    false_fail_probability as false_fail_probability,
    false_pass_probability as false_pass_probability,
    gate_counts as gate_counts,
    too_many_unmatched as too_many_unmatched,
    worst as worst,
)
from .human_rates import (
    POST_STRATIFIED as POST_STRATIFIED,
    HumanRate as HumanRate,
    Stratum as Stratum,
    effective_labels as effective_labels,
    human_rate as human_rate,
)
from .judge_table import ClassRate as ClassRate, JudgeTable as JudgeTable, Unclear as Unclear
from .judge_validation import (
    FEWEST_RELIABILITY_CASES as FEWEST_RELIABILITY_CASES,
    JUDGE_RULE as JUDGE_RULE,
    RELIABLE_ALPHA as RELIABLE_ALPHA,
    JudgeDecision as JudgeDecision,
    JudgeReason as JudgeReason,
    JudgeState as JudgeState,
    judge_rule as judge_rule,
)
from .judged_difference import (
    NEWCOMBE_INDEPENDENT as NEWCOMBE_INDEPENDENT,
    DifferentialError as DifferentialError,
    JudgedDifference as JudgedDifference,
    decide_judged_difference as decide_judged_difference,
    differential_error as differential_error,
    judge_scale_margin as judge_scale_margin,
    newcombe_independent_interval as newcombe_independent_interval,
)
from .label_planning import (
    DEFAULT_DRAW as DEFAULT_DRAW,
    FEWEST_LABELS as FEWEST_LABELS,
    JUDGE_BAR as JUDGE_BAR,
    SMALLEST_CLASS as SMALLEST_CLASS,
    FurtherLabels as FurtherLabels,
    alpha_of_look as alpha_of_look,
    class_clears_probability as class_clears_probability,
    further_labels as further_labels,
    labels_for_class as labels_for_class,
    most_class_errors as most_class_errors,
    smallest_perfect_class as smallest_perfect_class,
)
from .label_rates import (
    LABEL_RATES as LABEL_RATES,
    PRIMARY as PRIMARY,
    PRIOR_LABELS as PRIOR_LABELS,
    Labels as Labels,
    PriorRate as PriorRate,
    corrected_of as corrected_of,
    prior_rates as prior_rates,
)
from .means import (
    BCA_BOOTSTRAP as BCA_BOOTSTRAP,
    HOEFFDING as HOEFFDING,
    STUDENT_T as STUDENT_T,
    Mean as Mean,
    bootstrap_mean_interval as bootstrap_mean_interval,
    hoeffding_interval as hoeffding_interval,
    mean_of as mean_of,
    mean_t_interval as mean_t_interval,
)
from .multiplicity import (
    BENJAMINI_HOCHBERG as BENJAMINI_HOCHBERG,
    BENJAMINI_YEKUTIELI as BENJAMINI_YEKUTIELI,
    HOLM as HOLM,
    benjamini_hochberg as benjamini_hochberg,
    benjamini_yekutieli as benjamini_yekutieli,
    holm as holm,
    rejected as rejected,
)
from .paired import (
    BONETT_PRICE as BONETT_PRICE,
    MCNEMAR_EXACT as MCNEMAR_EXACT,
    MCNEMAR_MID_P as MCNEMAR_MID_P,
    NEWCOMBE as NEWCOMBE,
    TANGO as TANGO,
    PairedRates as PairedRates,
    bonett_price_interval as bonett_price_interval,
    mcnemar_exact as mcnemar_exact,
    mcnemar_mid_p as mcnemar_mid_p,
    newcombe_interval as newcombe_interval,
    paired_binary as paired_binary,
    tango_interval as tango_interval,
)
from .paired_scores import (
    PAIRED_BETTING as PAIRED_BETTING,
    PAIRED_T as PAIRED_T,
    PERCENTILE_BOOTSTRAP as PERCENTILE_BOOTSTRAP,
    PairedMeans as PairedMeans,
    differences as differences,
    paired_betting_interval as paired_betting_interval,
    paired_bootstrap as paired_bootstrap,
    paired_mean_difference as paired_mean_difference,
)
from .planning import (
    MOST_CASES as MOST_CASES,
    AllPass as AllPass,
    MoreCases as MoreCases,
    SampleSize as SampleSize,
    cases_if_all_pass as cases_if_all_pass,
    more_cases as more_cases,
    predictive_probability_of_pass as predictive_probability_of_pass,
    rate_plan_sentence as rate_plan_sentence,
    sample_size_gate as sample_size_gate,
    smallest_deciding_n as smallest_deciding_n,
)
from .prediction_powered import (
    FEWEST_DISAGREEMENTS as FEWEST_DISAGREEMENTS,
    FEWEST_LABELS_FOR_PPI as FEWEST_LABELS_FOR_PPI,
    PPI as PPI,
    PPI_BETTING as PPI_BETTING,
    HumanMean as HumanMean,
    human_mean as human_mean,
    ppi_mean as ppi_mean,
)
from .quantiles import (
    ORDER_STATISTICS as ORDER_STATISTICS,
    QuantileMinimum as QuantileMinimum,
    quantile as quantile,
    quantile_interval as quantile_interval,
    quantile_min_n as quantile_min_n,
)
from .rates import (
    CLOPPER_PEARSON as CLOPPER_PEARSON,
    JEFFREYS as JEFFREYS,
    WILSON as WILSON,
    WILSON_CC as WILSON_CC,
    Interval as Interval,
    clopper_pearson as clopper_pearson,
    jeffreys as jeffreys,
    lower_bound as lower_bound,
    missing_bounded_interval as missing_bounded_interval,
    proportion_interval as proportion_interval,
    upper_bound as upper_bound,
    wilson as wilson,
    wilson_cc as wilson_cc,
)
from .reliability import (
    FLEISS_KAPPA as FLEISS_KAPPA,
    KRIPPENDORFF as KRIPPENDORFF,
    Metric as Metric,
    Reliability as Reliability,
    fleiss_kappa as fleiss_kappa,
    krippendorff_alpha as krippendorff_alpha,
)
from .repeats import (
    COCHRAN_Q as COCHRAN_Q,
    CochranQ as CochranQ,
    VarianceComponents as VarianceComponents,
    cochran_q as cochran_q,
    flip_rate as flip_rate,
    k_of_n_pass_probability as k_of_n_pass_probability,
    pass_at_k as pass_at_k,
    pass_hat_k as pass_hat_k,
    variance_components as variance_components,
)
from .resampling import (
    LABEL_BOOTSTRAP as LABEL_BOOTSTRAP,
    Seed as Seed,
    bootstrap_label_rates as bootstrap_label_rates,
    bootstrap_paired_labels as bootstrap_paired_labels,
    recipe_label_rates as recipe_label_rates,
    recipe_paired_labels as recipe_paired_labels,
)
from .sample_sizes import (
    DesignEffect as DesignEffect,
    design_effect as design_effect,
    sample_size_half_width as sample_size_half_width,
    sample_size_paired_binary as sample_size_paired_binary,
    sample_size_paired_mean as sample_size_paired_mean,
    sample_size_two_rates as sample_size_two_rates,
)
from .score_measures import (
    SPEARMAN as SPEARMAN,
    WEIGHTED_KAPPA as WEIGHTED_KAPPA,
    ScoreAgreement as ScoreAgreement,
    score_agreement as score_agreement,
    spearman as spearman,
    weighted_kappa as weighted_kappa,
)
from .stopping import (
    CONFIDENCE_SEQUENCE as CONFIDENCE_SEQUENCE,
    Curtailment as Curtailment,
    anytime_valid_rate_interval as anytime_valid_rate_interval,
    curtailment as curtailment,
    false_pass_with_peeking as false_pass_with_peeking,
)
from .transported_rates import (
    ROGAN_GLADEN as ROGAN_GLADEN,
    TransportedRate as TransportedRate,
    rogan_gladen as rogan_gladen,
    transported_rate as transported_rate,
)
