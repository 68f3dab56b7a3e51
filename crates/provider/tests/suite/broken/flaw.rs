//! What can be wrong with a provider, and which checks have to find it.

use crate::honest::Ability;

/// Every flaw with the checks that it must not pass, one line each.
macro_rules! flaws {
    ($($flaw:ident: $($check:ident)+,)+) => {
        /// What is wrong.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Flaw {
            $($flaw,)+
        }

        impl Flaw {
            pub(crate) const ALL: &'static [Self] = &[$(Self::$flaw,)+];

            /// The checks that have to find it.
            pub(crate) const fn found_by(self) -> &'static [&'static str] {
                match self {
                    $(Self::$flaw => &[$(stringify!($check),)+],)+
                }
            }
        }
    };
}

flaws! {
    BuysEveryTime: same_order_twice_buys_once same_order_twenty_times_at_once_buys_once
        same_order_after_its_machines_arrived_buys_nothing same_order_after_a_lost_reply_buys_once
        order_that_was_cut_off_is_bought_once partial_order_again_buys_no_more_than_asked,
    ForgetsOrdersOnRestart: restart_keeps_an_order restart_keeps_an_order_that_has_arrived
        restart_after_a_lost_reply_keeps_the_order restart_in_the_middle_of_an_order_keeps_it,
    ForgetsServedOrders: same_order_after_its_machines_were_deleted_buys_nothing,
    RepeatsUnderAnotherName: same_order_after_a_lost_reply_buys_once,
    RemembersFailedOrders: order_that_failed_is_bought_by_the_next_attempt,
    ComparesTheBeginningOfNames: another_order_buys_again alike_order_ids_are_different_orders
        longest_order_id_is_known_again,
    IgnoresFrom: stale_order_without_names_buys_nothing same_order_twice_buys_once,
    BringsTheTargetThere: order_decided_on_a_higher_target_buys_its_count,
    LosesOne: order_raises_the_target ordered_machines_arrive,
    UsesThePlainGroup: orders_leave_other_groups_alone orders_in_two_groups_at_once_stay_apart
        order_for_an_unknown_group_is_not_found,
    NeedsOneToCopy: empty_group_grows,
    TakesOrdersOfNothing: order_of_nothing_is_invalid,
    CutsOrdersToTheMaximum: order_above_the_maximum_is_invalid,
    BuysAboveTheMaximum: order_above_the_maximum_is_invalid order_above_a_lowered_maximum_is_invalid,
    WrapsSums: order_of_very_many_is_invalid,
    StopsBelowTheMaximum: order_up_to_the_maximum_is_served,
    TakesUnknownGroups: order_for_an_unknown_group_is_not_found
        deletion_in_an_unknown_group_is_not_found lowering_an_unknown_group_is_not_found,
    ForgetsPartialSuccess: partial_success_is_success,
    CountsWhatWasOrdered: partial_success_is_counted,
    CountsOrdersOnce: partial_success_is_counted,
    ForgetsStockouts: stockout_buys_nothing used_up_quota_buys_nothing,
    StockoutIsContagious: stockout_of_one_group_leaves_others,
    MakesUpForRefusals: refused_order_may_be_placed_again,
    LiesAboutStock: stock_is_honest,
    HidesReasons: failed_machines_tell_a_shortage failed_machines_tell_other_reasons,
    ConfusesReasons: failed_machines_tell_a_shortage failed_machines_tell_other_reasons,
    LoweringKills: lowering_touches_no_running_machine lowering_touches_no_machine_being_made
        lowering_touches_no_failed_machine first_call_may_be_a_lowering
        orders_and_lowering_at_once_add_up,
    LoweringRaises: lowering_never_raises,
    LoweringStepsDown: lowering_twice_is_lowering_once lowering_after_a_lost_reply_is_lowering_once,
    LoweringDoesNothing: lowering_gives_up_what_has_not_arrived
        lowering_part_of_the_way_keeps_the_rest,
    LoweringForgetsTheAnswer: lowering_touches_no_running_machine,
    LoweringLowersAll: lowering_leaves_other_groups_alone,
    DeletesTheFirst: deletion_takes_the_named_only,
    DeletesAnything: foreign_machine_is_refused another_groups_machine_is_refused,
    DeletesWhileRefusing: foreign_machine_is_refused another_groups_machine_is_refused,
    DeletesTheRunningOnly: deletion_of_a_machine_being_made failed_machines_can_be_deleted
        deletion_twice_is_deletion_once,
    EmptyMeansAll: deletion_of_nothing_does_nothing,
    RefusesTheUnknown: unknown_machine_is_not_found vanished_machine_is_not_found
        deletion_of_a_mixed_bag,
    AnswersSorted: deletion_answers_in_the_order_asked,
    KeepsTheTarget: deletion_lowers_the_target,
    LowersTwice: deletion_lowers_the_target,
    LowersAgain: deletion_twice_is_deletion_once deletion_of_one_named_twice_counts_once
        deletion_after_a_lost_reply_counts_once restart_keeps_a_deletion,
    LowersForEachCaller: same_deletion_at_once_counts_once,
    LowersForTheGone: unknown_machine_is_not_found vanished_machine_is_not_found,
    BeginsDeletionsAnew: deletion_asked_again_is_not_begun_anew,
    ObeysTheMinimum: deletion_below_the_minimum_is_done failed_machine_may_go_at_the_minimum,
    IgnoresItsMinimum: deletion_below_the_minimum_is_refused,
    ShrinksWhileRefusing: deletion_below_the_minimum_is_refused,
    StopsAboveTheMinimum: deletion_below_the_minimum_is_refused,
    RefusesForNow: deletion_below_the_minimum_is_refused,
    KeepsTheBroken: failed_machine_may_go_at_the_minimum,
    DeletesStrangers: foreign_machine_is_left_alone,
    TellsStrangersAsDone: foreign_machine_is_left_alone,
    OverridesProtection: protected_machine_is_refused,
    TellsFailedDeletionsAsDone: failed_deletion_is_not_told_as_done,
    ShortListOnFailure: failing_request_makes_no_short_list truncated_reply_makes_no_short_list,
    BelievesCutReplies: truncated_reply_makes_no_short_list,
    ReadsOnePage: refresh_reads_all_pages,
    LooksBriefly: slow_service_makes_no_short_list,
    LooksOnlyOnce: refresh_tells_what_there_is order_raises_the_target vanished_machine_is_forgotten
        purchases_of_others_are_seen deletions_of_others_are_seen bounds_changed_outside_are_seen,
    RemembersVanished: vanished_machine_is_forgotten,
    MakesUpForTheVanished: vanished_machine_is_not_made_up_for,
    HidesTheUnfinished: refresh_tells_what_is_under_way restart_changes_nothing,
    NamesTwice: refresh_names_nothing_twice,
    ShufflesMachines: refresh_keeps_its_order,
    AdoptsForeigners: foreign_machine_is_in_no_group,
    KeepsOldBounds: bounds_changed_outside_are_seen,
    HidesEmptyGroups: empty_group_is_told deletion_of_all_leaves_the_group,
    DropsMachinesOfTheFuture: skewed_clock_loses_no_machine,
    CountsMachinesAsTarget: restart_keeps_what_has_not_arrived,
    OverlappingLooksAreEmpty: refreshes_at_once_agree refreshes_during_changes_are_whole,
    EmptyWhenAway: service_that_is_away_is_retry,
    StaysAwayAfterAnOutage: service_that_came_back_is_used,
    BuysInSpiteOfErrors: orders_during_an_outage_buy_nothing,
    IsImpatient: slow_service_is_served,
    EverythingIsABug: service_that_is_away_is_retry refused_credentials_are_auth
        overloaded_service_is_retry failed_lowering_may_be_repeated,
    EverythingIsRetry: refused_credentials_are_auth quota_answer_is_quota stockout_buys_nothing,
    SaysNothing: errors_are_told_in_words,
    TellsTheToken: errors_contain_no_secret,
    NeedsARefreshFirst: first_call_may_be_an_order first_call_may_be_a_deletion
        first_call_may_be_a_lowering,
    DropsOverlappingOrders: orders_at_once_all_count orders_and_deletions_at_once_add_up
        orders_in_two_groups_at_once_stay_apart,
    DropsOverlappingDeletions: deletions_at_once_all_count,
    ChecksTheMaximumTooEarly: orders_at_once_stay_below_the_maximum,
    WaitsForItself: calls_overlap,
    FoldsNames: odd_names_are_told_as_they_are odd_names_can_be_ordered_in
        odd_names_can_be_deleted_in odd_names_can_be_lowered,
    OwnsEveryNode: owner_of_a_foreign_node owner_of_a_strange_node owner_of_a_vanished_node,
    OwnsNothing: owner_of_an_own_node owner_of_a_node_in_an_odd_group owner_of_a_new_node,
    RemembersOwners: owner_of_a_vanished_node,
    BuriesEveryNode: owner_of_a_foreign_node owner_of_a_strange_node,
    BuriesInTheWrongGroup: owner_of_a_vanished_node,
    TakesSilenceForDeath: nothing_is_gone_while_the_service_is_away,
    OwnsNothingAtFirst: first_call_may_be_about_a_node,
    NamesItselfAnew: provider_has_a_name,
    TurnsBounds: bounds_make_sense,
    EmptyTemplates: templates_of_empty_groups,
    ChangingTemplates: templates_are_stable,
    ChangingPrices: prices_are_told,
    ImpossibleOptions: options_make_sense,
    HasPricesSecretly: capabilities_are_honest,
    MakesGroupsAgain: group_is_made_once,
    DoesNotMakeGroups: group_can_be_made,
    KeepsGroups: group_can_be_removed,
    RemovesFullGroups: group_with_machines_is_kept,
    PretendsToMakeGroups: groups_are_unsupported_otherwise,
    ClosesTheShop: close_is_safe,
}

impl Flaw {
    /// The kind of provider that it shows in.
    pub(crate) const fn ability(self) -> Ability {
        match self {
            Self::IgnoresFrom | Self::PretendsToMakeGroups => Ability::Bare,
            Self::IgnoresItsMinimum
            | Self::ShrinksWhileRefusing
            | Self::StopsAboveTheMinimum
            | Self::RefusesForNow
            | Self::KeepsTheBroken
            | Self::DeletesStrangers
            | Self::TellsStrangersAsDone => Ability::Guarded,
            _ => Ability::Full,
        }
    }
}
